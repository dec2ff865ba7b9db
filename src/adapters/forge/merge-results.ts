import type { Actor, BranchName, Sha } from '../../domain/ids.ts'

/** One pull request in a chain of merges. */
export interface PlannedMerge {
  /** Of one that is not filed, negative. */
  readonly number: number
  /** Of one that is not filed: its branch. */
  readonly unfiled?: BranchName
  readonly head: Sha
  readonly strategy: MergeStrategy
}

/** The merge of one pull request, as a commit that was made and not pushed. */
export interface MergeLink {
  readonly number: number
  readonly head: Sha
  /** What the base would be moved to: the commit after this merge and all before it. */
  readonly sha: Sha
  readonly tree: Sha
}

/** `links` in the order asked; of `conflicts` nothing is in them. */
export interface MergeChain {
  readonly onto: Sha
  readonly links: readonly MergeLink[]
  readonly conflicts: readonly { readonly number: number; readonly files: readonly string[] }[]
}

/** What is known of the files of a commit, under the command that is configured now. */
export type ResultState = 'passed' | 'failed' | 'unknown'

export interface CheckedResult {
  /**
   * `interrupted`: this forge stops. `unchecked`: nothing is configured any more that would check
   * it.
   */
  readonly status: 'passed' | 'failed' | 'interrupted' | 'unchecked'
  readonly logTail: string
  readonly logUrl: string | null
}

/** One of the places for checks that run at the same time. */
export interface CheckSlot {
  /**
   * Checks the files of a commit; a result that is known already is not checked again.
   * UNTRUSTED_CONFIG where the command must not run. `again`: what is known does not count.
   */
  check(target: {
    readonly sha: Sha
    readonly tree: Sha
    readonly label: string
    readonly kind: 'result' | 'base'
    readonly again?: boolean
  }): Promise<CheckedResult>
  release(): void
}

/** Who says which own checks of pull requests wait for one of several together. */
export interface Deferral {
  /** Such a check waits, until this does not hold any more (`look`), or `count`. */
  readonly isDeferred: (base: BranchName, number: number, head: Sha) => boolean
  /** One begins to wait for a place. */
  readonly waits: (base: BranchName) => void
  /** One has ended, or is not run any more. */
  readonly ended: (base: BranchName) => void
}

/**
 * Checks what merges would come to, before anything is pushed: for forges whose checks are run
 * here. What was checked is remembered by the tree, across restarts, so that the same files are not
 * checked twice.
 */
export interface MergeResults {
  /** A command is configured that checks pull requests, and may run. */
  required(): Promise<boolean>
  /** How long a check takes as a rule, milliseconds; 0 where none ran yet. */
  typicalDuration(): Promise<number>
  /** How many checks may run at the same time. */
  parallel(): Promise<number>
  /**
   * Makes the commits of these merges, one on top of the other, in objects alone. One that
   * conflicts is left out.
   */
  build(onto: Sha, merges: readonly PlannedMerge[]): Promise<MergeChain>
  /** With the end of the log where it failed. */
  known(tree: Sha): Promise<{
    readonly state: ResultState
    readonly logTail: string
    readonly logUrl: string | null
  }>
  treeOf(commit: Sha): Promise<Sha>
  /** Tip of a base as the remote says now, present here; null where it has none. */
  tip(base: BranchName): Promise<Sha | null>
  /**
   * What a pull request’s own checks last passed with: the tip of its base then; null where that is
   * not known.
   */
  passedOn(number: number): Promise<Sha | null>
  /**
   * What its own check of this head last failed with: the tip of its base then; null where it did
   * not, or that is not known.
   */
  failedOn(number: number, head: Sha): Promise<Sha | null>
  /**
   * Waits for a place among all checks, in the order asked. `front`: before those that wait (the
   * rest of something that had its turn), `idle`: after all others. `ready`: asked when its turn comes; while it denies,
   * later ones go first (see `look`). Null where this forge stops.
   */
  slot(options: {
    readonly front?: boolean
    readonly idle?: boolean
    readonly ready?: () => boolean
  }): Promise<CheckSlot | null>
  /**
   * Checks of pull requests onto this base: when the last one ended, which may not have been
   * reported yet, and when those that run were started. Milliseconds since the epoch.
   */
  activity(base: BranchName): { readonly lastEnded: number; readonly running: readonly number[] }
  /**
   * Pull requests onto this base whose own checks wait for a place, where a result of several counts
   * for each of them; none where they are checked by another command.
   */
  waiting(base: BranchName): Promise<readonly { readonly number: number; readonly head: Sha }[]>
  defer(by: Deferral): void
  /**
   * What is known of a link counts as the check of its pull request’s head; one that waits for a
   * place is not run any more.
   */
  count(link: MergeLink, onto: Sha): Promise<void>
  /** The log of the last run of these files; null where there is none. */
  log(
    tree: Sha,
  ): Promise<{ readonly status: string; readonly path: string; readonly text: string } | null>
  /** Something that a `ready` looks at has changed. */
  look(): void
  /** That landing it came to red files counts as a check of this pull request’s head. */
  blame(number: number, link: MergeLink, onto: Sha): Promise<void>
  /**
   * Moves the base to the last link in one push, where it still is at `chain.onto`, and marks all
   * of them merged. `base_moved` also where one of them is not open on that base any more.
   * `refused`: it must not be moved so (any more), in words without a full stop.
   */
  land(base: BranchName, chain: MergeChain, by: ReadonlyMap<number, Actor>): Promise<LandResult>
  /** Pull requests that were merged into this base with one of these commits, by commit. */
  mergedAs(
    base: BranchName,
    commits: readonly Sha[],
  ): Promise<Map<Sha, { readonly number: number; readonly title: string }>>
}

export type LandResult = 'landed' | 'base_moved' | { readonly refused: string }

/** What the fold needs of them; it moves no branch. */
export type FoldResults = Pick<
  MergeResults,
  | 'required'
  | 'typicalDuration'
  | 'parallel'
  | 'build'
  | 'known'
  | 'treeOf'
  | 'tip'
  | 'slot'
  | 'look'
  | 'log'
  | 'waiting'
  | 'defer'
  | 'count'
>

export type MergeStrategy = 'squash' | 'merge' | 'rebase'
