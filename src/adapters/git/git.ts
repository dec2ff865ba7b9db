import type { BranchName, Sha } from '../../domain/ids.ts'
import type { RadarGit } from './radar/radar-git.ts'
import type { WorktreeVerbs } from './worktrees/worktree-verbs.ts'

export type {
  FastForwarded,
  FastForwardResult,
  WorktreeEntry,
  WorktreeStatus,
} from './worktrees/worktree-verbs.ts'

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

export interface Commit {
  readonly sha: Sha
  readonly parents: readonly Sha[]
  readonly subject: string
  readonly author: string
  /** When it was made (committer), milliseconds since the epoch. */
  readonly at: number
}

/** A whole commit. */
export interface CommitDetails {
  readonly sha: Sha
  readonly tree: Sha
  readonly parents: readonly Sha[]
  readonly author: Identity
  readonly message: string
}

/** `rejected`: the remote’s branch is not what the lease expects, or the remote refused. */
/** `cause`: the first that git says of why. */
export type PushResult = { kind: 'pushed' } | { kind: 'rejected'; reason: string; cause: string }
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
export interface Git extends RadarGit, WorktreeVerbs {
  readonly commonDir: string

  // refs
  /** Commit a revision names, null where there is none. */
  resolve(revision: string): Promise<Sha | null>
  /** Those of these commits that are in this repository. */
  present(shas: readonly Sha[]): Promise<Set<Sha>>
  branches(): Promise<Map<BranchName, Sha>>
  /**
   * Deletes only where the branch still points at `expected`; returns whether it did.
   * BRANCH_CHECKED_OUT where a worktree is on it.
   */
  deleteBranch(branch: BranchName, expected: Sha): Promise<boolean>
  /** The same for many, each judged by itself; an error in place of being thrown. */
  deleteBranches(tips: ReadonlyMap<BranchName, Sha>): Promise<Map<BranchName, boolean | Error>>
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
  /** The same between two commits or trees as they are. */
  diffTrees(from: Sha, to: Sha): Promise<string>
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
  /** The same for many in one push, each judged by itself. */
  deleteRemoteBranches(
    remote: string,
    tips: ReadonlyMap<BranchName, Sha>,
  ): Promise<Map<BranchName, PushResult>>

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
}
