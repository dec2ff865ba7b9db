import type { BranchName, Sha } from '../../../domain/ids.ts'

export interface WorktreeEntry {
  readonly path: string
  readonly branch: BranchName | null
  readonly head: Sha | null
  readonly bare: boolean
  /** Its folder is gone. */
  readonly prunable: boolean
}

export interface WorktreeStatus {
  readonly branch: BranchName | null
  readonly head: Sha | null
  /** Paths with uncommitted changes, untracked ones included, ignored ones not. */
  readonly dirty: readonly string[]
  readonly conflicted: readonly string[]
  readonly operation: 'rebase' | 'merge' | 'cherry-pick' | 'revert' | null
}

export type RebaseResult =
  | { kind: 'up_to_date' }
  | { kind: 'rebased'; head: Sha }
  | { kind: 'conflict'; files: readonly string[] }
export type FastForwarded = { kind: 'synced'; head: Sha } | { kind: 'not_synced'; reason: string }
/** `elsewhere`: the branch is not checked out there; nothing was changed. */
export type FastForwardResult = FastForwarded | { kind: 'elsewhere' }
/** What git does in worktrees, and with them. */
export interface WorktreeVerbs {
  /** Without those that are kept ready. */
  worktrees(): Promise<WorktreeEntry[]>
  /**
   * With `create` the branch is new and starts at `at`; else the branch exists. One of `pool` is
   * taken for a new one where one is ready there. With `sparse` it has these folders in place of
   * all. BRANCH_EXISTS, BRANCH_CHECKED_OUT.
   */
  addWorktree(options: {
    path: string
    branch: BranchName
    create: boolean
    at: Sha
    checkoutWorkers?: number
    pool?: string
    sparse?: readonly string[]
  }): Promise<void>
  /**
   * Takes one step towards `size` worktrees that are ready in this folder, at the commit that was
   * asked for last, or `at`: makes one, moves one on, takes one too many away. What an earlier
   * process left there is looked over first. Nothing happens soon after a spawn, nor within a minute
   * of a failure. Returns whether something was put into the trash.
   */
  tendPool(options: {
    folder: string
    size: number
    at: Sha
    trash: string
    checkoutWorkers: number
  }): Promise<boolean>
  /**
   * Begins to look over so many of those that are ready: for a spawn that takes them soon, and has
   * other things to look at first. What it sees counts for two seconds.
   */
  lookOverPool(folder: string, count: number): Promise<void>
  /** Whether files in this folder can be copied by sharing their blocks (btrfs, xfs, APFS). */
  canShareBlocks(folder: string): Promise<boolean>
  /** Takes all of them away. */
  endPool(folder: string, trash: string): Promise<void>
  /**
   * Refuses a dirty one unless `force`. A folder that is gone is pruned. With `trash` its files are
   * put there where that can be done, and stay. `looked`: its status of this very moment, submodules
   * included, which is not taken again.
   */
  removeWorktree(
    path: string,
    options?: { force?: boolean; trash?: string; looked?: WorktreeStatus },
  ): Promise<void>
  /** Throws GIT_FAILED where removeWorktree would refuse it without `force`; removes nothing. */
  requireRemovable(path: string): Promise<void>
  /** `submodules`: what is uncommitted in these counts, whatever the configuration ignores. */
  status(worktree: string, options?: { submodules?: boolean }): Promise<WorktreeStatus>
  /**
   * A tree of all its files as they are now, uncommitted and untracked ones included, ignored ones
   * not; where nothing is uncommitted, the commit that is checked out. Its index stays as it is.
   */
  snapshotTree(worktree: string): Promise<Sha>
  /** Ignored files that match the globs, relative paths. */
  ignoredFiles(worktree: string, globs: readonly string[]): Promise<string[]>
  /** All that is ignored, relative paths; a folder that is ignored whole as one that ends in `/`. */
  ignoredEntries(worktree: string): Promise<string[]>
  /**
   * What is not tracked and matches patterns of a file, which is written as .gitignore; as
   * `ignoredEntries`.
   */
  entriesListedBy(worktree: string, file: string): Promise<string[]>
  /** Whether git ignores what stands at a path. */
  isIgnored(worktree: string, path: string): Promise<boolean>
  /** Files of the index that match the globs, relative paths. */
  trackedFiles(worktree: string, globs: readonly string[]): Promise<string[]>
  /**
   * Fills its empty submodules, nested ones too, from the repositories that those of the worktree
   * `from` and of the main one have, without a network. Returns those that stay empty, and why.
   */
  fillSubmodules(worktree: string, from: string): Promise<{ path: string; reason: string }[]>
  /**
   * Files of Git LFS from its store here, without a network; null where none is left as a pointer.
   */
  fillLargeFiles(worktree: string): Promise<{ files: string[]; reason: string } | null>
  /** `on`: only where that branch is checked out there, in a worktree of this repository. */
  fastForward(worktree: string, to: Sha): Promise<FastForwarded>
  fastForward(worktree: string, to: Sha, on: BranchName): Promise<FastForwardResult>
  /** `git rebase --rebase-merges --onto onto forkPoint`, left in progress on conflict. */
  rebase(worktree: string, options: { onto: Sha; forkPoint: Sha }): Promise<RebaseResult>
  abortRebase(worktree: string): Promise<void>
  /**
   * Which commit a rebase that stands in progress is at, from 1, and what it goes onto; null where
   * there is none.
   */
  rebaseStep(worktree: string): Promise<{ step: number; onto: string } | null>

  /** A checkout of one commit without a branch, for checks; `remove` it with removeWorktree. */
  addDetachedWorktree(path: string, sha: Sha, options?: { checkoutWorkers?: number }): Promise<void>
}
