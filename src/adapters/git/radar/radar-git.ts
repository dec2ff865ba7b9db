import type { Sha } from '../../../domain/ids.ts'

/** A worktree as it was: a commit of all its files, whose parent is its HEAD. */
export interface WorktreeSnapshot {
  readonly kind: 'taken'
  /** HEAD itself where nothing is uncommitted. */
  readonly commit: Sha
  readonly tree: Sha
  readonly head: Sha
  /** Uncommitted files over SNAPSHOT_FILE_LIMIT: they are in it as HEAD has them, or not at all. */
  readonly skipped: readonly string[]
  /** The same for as long as nothing was changed. */
  readonly mark: string
}

/** In words, to go on after “its worktree can’t be read: ”. */
export interface NoSnapshot {
  readonly kind: 'unknown'
  readonly why: string
  /** An object is missing or broken. */
  readonly unreadable?: true
}

/** What a merge would come to. */
export type ForetoldMerge =
  | { readonly kind: 'clean' }
  | { readonly kind: 'conflict'; readonly files: readonly string[] }

/** One path in which two trees differ. */
export interface TouchedPath {
  readonly path: string
  /** A rename is a `D` and an `A`. */
  readonly change: 'A' | 'D' | 'M'
}

/** Line numbers of a hunk, from 1; `lines` is 0 where it only takes away, after line `from`. */
export interface LineRange {
  readonly from: number
  readonly lines: number
}

/** What one side did to one file since the merge base. */
export interface FileHunks {
  readonly path: string
  readonly change: 'added' | 'deleted' | 'renamed' | 'modified' | 'mode'
  /** Of a renamed file its name now. */
  readonly newPath: string
  readonly binary: boolean
  readonly hunks: readonly {
    /** In the merge base. */
    readonly base: LineRange
    readonly own: LineRange
    /** Lines as in a unified diff, `-` and `+` in front. */
    readonly text: readonly string[]
  }[]
}

/**
 * A part of history in which the best common ancestor of any two of some commits can be found;
 * undefined where there is none, several, or it is too far away.
 */
export type MergeBases = (one: Sha, other: Sha) => Sha | undefined

/** Bytes of an uncommitted file; larger ones are not read. */
export const SNAPSHOT_FILE_LIMIT = 50_000_000

/**
 * What foretelling conflicts needs of git. All of it runs at low priority, reads no network, and
 * changes nothing that an agent or a person has. Snapshots are objects in a folder of their own,
 * which the repository knows nothing of and has no references to: whatever takes them has to be one
 * of these. What merging writes is thrown away.
 */
export interface RadarGit {
  /**
   * All files of a worktree as they are now, uncommitted and untracked ones included, ignored ones
   * not. Its index, HEAD and hooks stay as they are, and nothing is locked. Where nothing was
   * changed since `before`, that is returned.
   */
  snapshotWorktree(
    worktree: string,
    before?: WorktreeSnapshot,
  ): Promise<WorktreeSnapshot | NoSnapshot>
  /**
   * Whether hardly anything was changed since, without a process: its index and HEAD are the same,
   * and so are the files that were changed, and what lies beside them.
   */
  seemsUnchanged(worktree: string, snapshot: WorktreeSnapshot): Promise<boolean>
  /** True where all that were taken are gone: there were too many, or somebody took them away. */
  tidySnapshots(): Promise<boolean>
  /** Takes away all of them. */
  forgetSnapshots(): Promise<void>
  /** Those of older versions, which were kept in the repository, below `refs/exomonad/snapshots/`. */
  removeFormerSnapshots(): Promise<void>
  /** Whether it failed because an object is missing or broken. */
  isUnreadable(thrown: unknown): boolean
  /** The best common ancestor of two commits, or one of them; null where there is none. */
  partedAt(one: Sha, other: Sha): Promise<Sha | null>
  mergeBasesAmong(commits: readonly Sha[]): Promise<MergeBases>
  /** The tree of each commit. */
  treesOf(commits: readonly Sha[]): Promise<Map<Sha, Sha>>
  /** Paths in which two trees differ, of each pair. */
  touchedPaths(
    pairs: readonly (readonly [from: Sha, to: Sha])[],
  ): Promise<(readonly TouchedPath[])[]>
  /** As Git.mergeTrees, and `unknown` where git can’t tell; what it writes is thrown away. */
  foretellMerges(
    pairs: readonly (readonly [ours: Sha, theirs: Sha])[],
  ): Promise<(ForetoldMerge | NoSnapshot)[]>
  /** What a commit did to these paths, or to what they were renamed from, since another one. */
  hunksOf(from: Sha, to: Sha, paths: readonly string[]): Promise<FileHunks[]>
}
