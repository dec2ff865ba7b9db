import type { ForgeKind } from '../../domain/forge-kinds.ts'
import type { CommentPlace, Side } from '../../domain/formats/line-range.ts'
import type { Actor, AgentId, BranchName, Sha } from '../../domain/ids.ts'
import type { BasePush, MergeResult, MergeWays } from './merging.ts'
import type { ForgeBudget } from './budget.ts'
import type { ForgeIssues } from './issues.ts'
import type { MergeResults, MergeStrategy } from './merge-results.ts'
import type { MergeKind, ScheduledMerge, ScheduledMerges } from './scheduled.ts'
import type { Unreadable } from './unreadable.ts'
import type { Check, ChecksState } from './check.ts'

export interface LineComment {
  readonly id: string
  readonly path: string
  /** Line of the file, the last one of a range; null for the whole file. */
  readonly line: number | null
  /**
   * First line of the range, before `line`; null where it is about one line. Absent from what was
   * stored before.
   */
  readonly startLine?: number | null
  /** Which version its lines are of; absent: the new one. */
  readonly side?: Side
  /** Untrusted. */
  readonly body: string
  readonly author: Actor
  /**
   * Conversation that it is part of, by the forge’s own id. Absent from what was stored before, and
   * where the forge did not say.
   */
  readonly thread?: string
  /** Whether that conversation was resolved; absent where `thread` is. */
  readonly resolved?: boolean
}

export interface Review {
  readonly id: string
  readonly author: Actor
  /** Name to show. */
  readonly authorName: string
  readonly state: 'approved' | 'changes_requested' | 'commented'
  /** Untrusted. */
  readonly body: string
  /** Head that was reviewed; another than the PR’s head makes it stale. */
  readonly commit: Sha
  readonly submittedAt: number
  readonly comments: readonly LineComment[]
  /** False: report that it exists, do not inject its words. */
  readonly trusted: boolean
  /** Why its verdict decides nothing; absent where it counts, and from what was stored before. */
  readonly notCounted?: NotCounted
}

/**
 * `own`: of whoever filed the pull request. `dismissed`: its author’s last one was, on the forge.
 * `superseded`: by a later one of its author. `older_head`: of one that held something else.
 */
export type NotCounted = 'no_write_access' | 'own' | 'dismissed' | 'superseded' | 'older_head'

export interface Comment {
  readonly id: string
  readonly author: Actor
  readonly authorName: string
  readonly body: string
  readonly at: number
  readonly trusted: boolean
}

/**
 * What a forge asks for before it merges, beside checks, conflicts and drafts. `person`: only
 * somebody on the forge can give it, no agent.
 */
export interface Blocker {
  readonly kind: 'behind' | 'review' | 'rule'
  /** What is missing and from whom: “an approval on GitHub by a code owner”. */
  readonly needs: string
  readonly person: boolean
  /**
   * What stays the same while the words change, with a count or a name: it is reported once.
   * Absent: the words.
   */
  readonly about?: string
}

export interface AskedReviewer {
  readonly name: string
  /** Asked because the files are theirs. */
  readonly codeOwner: boolean
}

/**
 * What a forge says of a pull request at one moment. The same for all forges;
 * `diffPullRequest(old, new)` makes the events.
 */
export interface PullRequestSnapshot {
  readonly number: number
  readonly url: string
  readonly title: string
  readonly body: string
  readonly state: 'open' | 'merged' | 'closed'
  readonly draft: boolean
  readonly head: { readonly branch: BranchName; readonly sha: Sha }
  readonly base: { readonly branch: BranchName; readonly sha: Sha | null }
  /** False: it comes from a fork, so that neither its words nor its code may reach an agent. */
  readonly trusted: boolean
  /** Agent that filed it, where it was filed through exomonad. */
  readonly agentId: AgentId | null
  /** Unknown is re-read, never an event. */
  readonly mergeable: 'mergeable' | 'conflicting' | 'unknown'
  readonly conflictFiles: readonly string[]
  readonly reviewDecision: 'approved' | 'changes_requested' | 'none'
  readonly reviews: readonly Review[]
  readonly comments: readonly Comment[]
  readonly checks: readonly Check[]
  readonly checksState: ChecksState
  /** Checks must pass before a merge. */
  readonly checksRequired: boolean
  /**
   * Why the forge would refuse to merge it, beside all that stands in other fields. Absent from
   * what was stored before.
   */
  readonly blockers?: readonly Blocker[]
  /**
   * Whom the forge asked for a review that it requires, people and teams by its own names. Absent
   * where it asked nobody, or did not say.
   */
  readonly asked?: readonly AskedReviewer[]
  /** The forge merges it by itself; absent where it does not. */
  readonly scheduled?: ScheduledMerge
  readonly mergeSha: Sha | null
  readonly mergedBy: Actor | null
  /**
   * The forge knows whoever merged it as somebody else than the account that exomonad has there.
   */
  readonly mergedByOther?: true
  /** Head at the merge. */
  readonly mergedHead: Sha | null
  readonly createdAt: number
  readonly updatedAt: number
}

export interface PullCommit {
  readonly sha: Sha
  /** First line of its message. */
  readonly title: string
  /** Name of its author. */
  readonly author: string
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** A failed read is unknown, never empty. */
export type SnapshotResult =
  | { number: number; snapshot: PullRequestSnapshot }
  | ({ number: number } & Unreadable)
  | { number: number; missing: true }

export type FileResult =
  | { kind: 'filed'; number: number; url: string; created: boolean }
  | { kind: 'nothing_to_merge' }

/**
 * Pull requests. A forge reads and changes; who may, and whether it should be, is decided in
 * core. Throws FORGE_UNAVAILABLE where it or its remote can’t be reached or asks to wait (fact
 * `retry_at`, milliseconds since the epoch, where it said until when), FORGE_DENIED where it
 * refuses these credentials, PR_NOT_FOUND for unknown numbers.
 */
export interface Forge {
  readonly kind: ForgeKind
  /** Git remote that holds the branches. */
  readonly remote: string
  /** Name of the repository there that stays when it is renamed: begins all dedupe keys. */
  identity(): Promise<string>
  /**
   * Checks of what merges would come to; null where the forge itself decides what is checked before
   * a merge.
   */
  readonly results: MergeResults | null
  /** Landing by a push to the base; null where what it takes for merged is its own alone to say. */
  readonly pushes: BasePush | null
  /** Merges that it makes by itself, later; null where it makes none. */
  readonly scheduled: ScheduledMerges | null
  /** Issues to work on; null where the forge has none. */
  readonly issues: ForgeIssues | null
  /** Null where the forge has no limits. */
  budget(): ForgeBudget | null
  /**
   * The head must have been pushed. An open pull request for the head branch is updated:
   * `created: false`.
   */
  file(options: {
    head: BranchName
    headSha: Sha
    base: BranchName
    title: string
    body: string
    draft: boolean
    agentId: AgentId | null
  }): Promise<FileResult>
  /** Fresh state of these. */
  snapshots(numbers: readonly number[]): Promise<SnapshotResult[]>
  /**
   * Numbers of all pull requests in that state, of one of these heads, with that base. Without
   * `heads` or `base` a large forge is a lot to ask. `forks`: those from forks as well, whose heads
   * are called what anybody likes.
   */
  find(filter: {
    state?: 'open' | 'merged' | 'closed'
    heads?: readonly BranchName[]
    base?: BranchName
    forks?: boolean
  }): Promise<number[]>
  /**
   * What its settings and rules leave for merges into that branch. Never fails: what can’t be read
   * forbids nothing.
   */
  mergeWays(base: BranchName): Promise<MergeWays>
  /**
   * Merges if the head is still `expectedHead`, and the base `expectedBase`: whoever may merge into
   * that one may not be allowed to into another. `prepared` is awaited with the commit about to
   * become the base’s tip, before it is pushed (again for every retry), so that the caller can
   * journal it; forges that make the commit themselves call it with null. `way`: at once (what is
   * left out), by the base’s merge queue, or once nothing stands against it; the two are for forges
   * with `scheduled`.
   */
  merge(options: {
    number: number
    expectedHead: Sha
    expectedBase: BranchName
    strategy: MergeStrategy
    by: Actor
    message?: string
    way?: 'now' | MergeKind
    prepared: (sha: Sha | null) => Promise<void>
  }): Promise<MergeResult>
  /**
   * After a crash: did that merge happen? Marks it merged if so. `prepared`: the commit that was
   * about to be pushed for it, if any; `head`: what of the pull request is in that, where it is
   * known, since its branch may have more commits by now. `not_open` with `merged`: somebody else
   * has merged it. `scheduled`: by the forge’s account.
   */
  settleMerge(options: {
    number: number
    prepared: Sha | null
    head?: Sha | null
    by: Actor
  }): Promise<MergeResult | { kind: 'not_merged' } | { kind: 'unknown'; reason: string }>
  retarget(number: number, base: BranchName): Promise<void>
  close(number: number, by: Actor): Promise<void>
  review(options: {
    number: number
    author: Actor
    state: Review['state']
    body: string
    /** A forge that takes no such range says it in the words of a comment on its last line. */
    comments: readonly (CommentPlace & { readonly body: string })[]
  }): Promise<Review>
  /**
   * Replies to a conversation on a line (`thread` of a line comment), resolves it, or both; an empty
   * body says nothing. The reply is a review that only comments, with one line comment.
   * INVALID_ARG where the pull request has no such conversation.
   */
  reply(options: {
    number: number
    author: Actor
    thread: string
    body: string
    resolve: boolean
  }): Promise<void>
  diff(number: number): Promise<string>
  /** What it would bring, oldest first; of a merged one what it brought. Words are untrusted. */
  commits(number: number): Promise<PullCommit[]>
  /** Starts what checks the current head where it has not run; hints, may be a no-op. */
  ensureChecks(number: number): Promise<void>
  /**
   * Runs the checks of the current head again, whatever came of them. `running`: they are queued or
   * running, and are left alone. INVALID_ARG where there is nothing to run, PR_NOT_MERGEABLE where
   * it is not open.
   */
  rerunChecks(number: number): Promise<'started' | 'running'>
  /**
   * Asks for an automatic review; returns a warning where that isn't to be had, null where all is
   * well or there is nothing to ask.
   */
  requestReview(number: number): Promise<string | null>
  /** Full log of a check, as far as it is kept. */
  checkLog(number: number, name: string): Promise<string>
  /** Called when something changed that a poll would find. Returns how to stop. */
  onHint(listener: (number: number) => void): () => void
  dispose(): Promise<void>
}
