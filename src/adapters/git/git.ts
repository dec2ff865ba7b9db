import type { BranchName, Sha } from '../../domain/ids.ts'
import type { RadarGit } from './radar/radar-git.ts'

/** What one repository is, as seen from a folder in it. */
export interface RepositoryFacts {
  /** Absolute `<git-common-dir>`. */
  readonly commonDir: string
  readonly bare: boolean
  /** Root of the worktree the folder is in; null in a bare repository’s own folder. */
  readonly worktree: string | null
  /**
   * First worktree of `git worktree list` that has files; null in a bare repository without one.
   */
  readonly mainWorktree: string | null
  readonly head:
    | { kind: 'branch'; branch: BranchName; sha: Sha }
    | { kind: 'detached'; sha: Sha }
    | { kind: 'unborn'; branch: BranchName }
}

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

export interface Commit {
  readonly sha: Sha
  readonly parents: readonly Sha[]
  readonly subject: string
  readonly author: string
}

/** A whole commit. */
export interface CommitDetails {
  readonly sha: Sha
  readonly tree: Sha
  readonly parents: readonly Sha[]
  readonly author: Identity
  readonly message: string
}

export type RebaseResult =
  | { kind: 'up_to_date' }
  | { kind: 'rebased'; head: Sha }
  | { kind: 'conflict'; files: readonly string[] }
/** `rejected`: the remote’s branch is not what the lease expects, or the remote refused. */
/** `cause`: the first that git says of why. */
export type PushResult = { kind: 'pushed' } | { kind: 'rejected'; reason: string; cause: string }
export type FastForwarded = { kind: 'synced'; head: Sha } | { kind: 'not_synced'; reason: string }
/** `elsewhere`: the branch is not checked out there; nothing was changed. */
export type FastForwardResult = FastForwarded | { kind: 'elsewhere' }
export type MergeTreeResult =
  | { kind: 'clean'; tree: Sha }
  | { kind: 'conflict'; files: readonly string[] }

export interface Identity {
  readonly name: string
  readonly email: string
  /** As git prints it with `%ad` in raw form (`1700000000 +0100`); default now. */
  readonly date?: string
}

/**
 * Git on one repository. Runs with hooks, pagers, prompts and merge drivers off, a pinned locale
 * and a scrubbed environment. Worktree and branch creation go through one lock. Failures throw
 * GIT_FAILED with git’s words, unreachable remotes FORGE_UNAVAILABLE, those that refuse
 * FORGE_DENIED, a full disk DISK_FULL. `worktree` arguments are absolute paths.
 */
export interface Git extends RadarGit {
  readonly commonDir: string

  // refs
  /** Commit a revision names, null where there is none. */
  resolve(revision: string): Promise<Sha | null>
  /** Those of these commits that are in this repository. */
  present(shas: readonly Sha[]): Promise<Set<Sha>>
  isValidBranchName(name: string): Promise<boolean>
  branches(): Promise<Map<BranchName, Sha>>
  /**
   * Deletes only where the branch still points at `expected`; returns whether it did.
   * BRANCH_CHECKED_OUT where a worktree is on it.
   */
  deleteBranch(branch: BranchName, expected: Sha): Promise<boolean>
  isAncestor(ancestor: Sha, descendant: Sha): Promise<boolean>
  /**
   * Whether a branch here has held this commit, now or before its history was rewritten, as far as
   * its log goes back.
   */
  hasHeld(branch: BranchName, sha: Sha): Promise<boolean>
  mergeBase(a: Sha, b: Sha): Promise<Sha | null>
  /** Commits in `head` that `base` lacks, newest first. */
  commits(base: Sha, head: Sha, limit?: number): Promise<Commit[]>
  countCommits(base: Sha, head: Sha): Promise<number>
  /**
   * Commits from `from` (exclusive) to `to` along first parents, oldest first: what a branch was
   * moved to, one after the other.
   */
  firstParents(from: Sha, to: Sha): Promise<{ sha: Sha; subject: string }[]>
  /**
   * Patch ids (`git patch-id --stable`) of the commits in `head` that `base` lacks, oldest first;
   * merge commits have none.
   */
  patchIds(base: Sha, head: Sha): Promise<string[]>
  /** Unified diff from the merge base of the two to `head`. */
  diff(base: Sha, head: Sha): Promise<string>
  changedFiles(base: Sha, head: Sha): Promise<string[]>
  /**
   * The text files that lie in a folder of a commit (`.github/workflows`), not those below, by
   * path. None where there is no such folder.
   */
  filesIn(commit: Sha, folder: string): Promise<{ path: string; text: string }[]>
  /** Paths in which two commits or trees differ, sorted; of a renamed file both. */
  changedPaths(from: Sha, to: Sha): Promise<string[]>
  /** `git log --graph --oneline` of these revisions. */
  graph(
    revisions: readonly string[],
    options?: { color?: boolean; limit?: number },
  ): Promise<string>
  /**
   * True where every change of `branch` is in `into`: as an ancestor, or as the same patches (also
   * squashed).
   */
  isMerged(branch: Sha, into: Sha): Promise<boolean>

  // worktrees
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
  /** Whether files in this folder can be copied by sharing their blocks (btrfs, xfs, APFS). */
  canShareBlocks(folder: string): Promise<boolean>
  /** Takes all of them away. */
  endPool(folder: string, trash: string): Promise<void>
  /**
   * Refuses a dirty one unless `force`. A folder that is gone is pruned. With `trash` its files are
   * put there where that can be done, and stay.
   */
  removeWorktree(path: string, options?: { force?: boolean; trash?: string }): Promise<void>
  /** Throws GIT_FAILED where removeWorktree would refuse it without `force`; removes nothing. */
  requireRemovable(path: string): Promise<void>
  status(worktree: string): Promise<WorktreeStatus>
  /**
   * A tree of all its files as they are now, uncommitted and untracked ones included, ignored ones
   * not. Its index stays as it is.
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

  // remotes
  remotes(): Promise<Map<string, string>>
  addRemote(name: string, url: string): Promise<void>
  removeRemote(name: string): Promise<void>
  /** `origin/HEAD` of the remote, asked for if not known locally; null where it has none. */
  defaultBranch(remote: string): Promise<BranchName | null>
  /**
   * Fetches these branches (all where none is named) into `refs/remotes/<remote>/…`; concurrent
   * calls for the same are coalesced.
   */
  fetch(remote: string, branches?: readonly BranchName[]): Promise<void>
  /**
   * Fast-forwards a branch that is checked out nowhere to what was fetched of it; returns whether
   * it is there.
   */
  advanceBranch(branch: BranchName, remote: string): Promise<boolean>
  /**
   * Pushes a commit to `refs/heads/<branch>`. `expected`: SHA the remote branch must have, null for
   * absent, undefined for a plain fast-forward push.
   */
  push(
    remote: string,
    options: { sha: Sha; branch: BranchName; expected?: Sha | null },
  ): Promise<PushResult>
  /** Tip of the remote branch as the remote says now. */
  remoteTip(remote: string, branch: BranchName): Promise<Sha | null>
  /**
   * Tips of these branches (of all where none is named), as far as they are there, in one request.
   */
  remoteTips(remote: string, branches?: readonly BranchName[]): Promise<Map<BranchName, Sha>>
  deleteRemoteBranch(remote: string, branch: BranchName, expected: Sha): Promise<PushResult>

  // objects: no worktree is touched
  mergeTree(ours: Sha, theirs: Sha): Promise<MergeTreeResult>
  /**
   * The same for many pairs, in one process. Of a commit with itself it is the commit’s own tree.
   */
  mergeTrees(pairs: readonly (readonly [ours: Sha, theirs: Sha])[]): Promise<MergeTreeResult[]>
  commitTree(options: {
    tree: Sha
    parents: readonly Sha[]
    message: string
    author?: Identity
    committer?: Identity
  }): Promise<Sha>
  /** Author, committer and full message of a commit. */
  readCommit(sha: Sha): Promise<CommitDetails>
  /** The same of all commits in `head` that `base` lacks, newest first. */
  readCommits(base: Sha, head: Sha): Promise<CommitDetails[]>
  /** The repository’s own user.name and user.email, or exomonad’s. */
  identity(): Promise<Identity>

  // set-up
  initBare(path: string): Promise<void>
  /**
   * Has a fresh bare repository two folders below the common directory borrow this one’s objects.
   * Whatever is pushed there is kept here, by its hook and by `tendBorrower`.
   */
  lendObjects(path: string): Promise<void>
  /**
   * Of one that borrows: all it has is reachable here (not with `refs: false`), and its history is
   * cut off where this one’s is.
   */
  tendBorrower(path: string, options?: { refs?: boolean }): Promise<void>
  /**
   * Has one of before, which holds all itself, borrow from now on, and takes away what it held.
   * False where it borrows already, or can’t where it lies.
   */
  slimBorrower(path: string): Promise<boolean>
  /** Its borrower is gone: nothing is kept for it any more. */
  endLending(): Promise<void>
  /** Adds lines to `<common-dir>/info/exclude` that are not there yet. */
  exclude(lines: readonly string[]): Promise<void>
  unexclude(lines: readonly string[]): Promise<void>
  /** A checkout of one commit without a branch, for checks; `remove` it with removeWorktree. */
  addDetachedWorktree(path: string, sha: Sha, options?: { checkoutWorkers?: number }): Promise<void>
}
