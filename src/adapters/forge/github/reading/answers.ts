import type { Side } from '../../../../domain/formats/line-range.ts'
import type { Unreadable } from '../../unreadable.ts'

/**
 * What GitHub’s GraphQL returns for queries.ts. Nullable is what GitHub’s schema says may be null.
 */

export interface RawActor {
  readonly __typename: string
  readonly login: string
}

export type Association =
  | 'OWNER'
  | 'MEMBER'
  | 'COLLABORATOR'
  | 'CONTRIBUTOR'
  | 'FIRST_TIMER'
  | 'FIRST_TIME_CONTRIBUTOR'
  | 'MANNEQUIN'
  | 'NONE'

export interface RawConnection<Node> {
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
  readonly nodes: readonly (Node | null)[] | null
}

/** Whatever somebody wrote; `author` is null for accounts that are gone. */
export interface RawWords {
  readonly fullDatabaseId: string | number | null
  readonly body: string
  readonly author: RawActor | null
  readonly authorAssociation: Association
}

export interface RawLineComment extends RawWords {
  readonly path: string
  /** Null where the line is outdated, or the comment is on the file. */
  readonly line: number | null
  readonly originalLine: number | null
  /** First of a range; on the old side where that begins there. */
  readonly startLine: number | null
  readonly originalStartLine: number | null
  /** The comment that begins its conversation; null where it does so itself. */
  readonly replyTo: { readonly fullDatabaseId: string | number | null } | null
}

export interface RawThread {
  readonly id: string
  readonly isResolved: boolean
  readonly diffSide: 'LEFT' | 'RIGHT'
  readonly comments: {
    readonly nodes: readonly ({ readonly fullDatabaseId: string | number | null } | null)[] | null
  }
}

export interface RawReview extends RawWords {
  readonly id: string
  readonly state: 'APPROVED' | 'CHANGES_REQUESTED' | 'COMMENTED' | 'DISMISSED' | 'PENDING'
  readonly submittedAt: string | null
  readonly commit: { readonly oid: string } | null
  readonly comments: RawConnection<RawLineComment>
}

export interface RawRequest {
  readonly asCodeOwner: boolean
  /** Null where the token may not see the team. */
  readonly requestedReviewer: { readonly combinedSlug: string } | RawActor | null
}

export interface RawComment extends RawWords {
  readonly createdAt: string
}

export type RollupState = 'ERROR' | 'EXPECTED' | 'FAILURE' | 'PENDING' | 'SUCCESS'

export interface RawCheckRun {
  readonly __typename: 'CheckRun'
  readonly databaseId: number | null
  readonly name: string
  readonly status: 'COMPLETED' | 'IN_PROGRESS' | 'PENDING' | 'QUEUED' | 'REQUESTED' | 'WAITING'
  readonly conclusion: string | null
  readonly startedAt: string | null
  readonly completedAt: string | null
  readonly detailsUrl: string | null
  readonly permalink: string
  readonly title: string | null
  /** Absent where the server does not know it. */
  readonly isRequired?: boolean
  readonly checkSuite: {
    readonly status: RawCheckRun['status']
    readonly app: { readonly slug: string } | null
    /** Absent where the server does not know it. */
    readonly workflowRun?: {
      readonly event: string
      readonly workflow: { readonly databaseId: number | null; readonly name: string }
    } | null
  }
}

export interface RawStatus {
  readonly __typename: 'StatusContext'
  readonly id: string
  readonly context: string
  readonly state: RollupState
  readonly targetUrl: string | null
  readonly description: string | null
  readonly createdAt: string
  /** Absent where the server does not know it. */
  readonly isRequired?: boolean
}

export type RawContext = RawCheckRun | RawStatus

/** Tier 1. */
export interface RawState {
  readonly id: string
  readonly number: number
  readonly url: string
  readonly title: string
  readonly state: 'OPEN' | 'CLOSED' | 'MERGED'
  readonly isDraft: boolean
  readonly headRefName: string
  readonly headRefOid: string
  readonly baseRefName: string
  /** The base as it was at the last push or at the merge. */
  readonly baseRefOid: string
  /** The base as it is; null where it is gone. */
  readonly baseRef: { readonly target: { readonly oid: string } | null } | null
  readonly isCrossRepository: boolean
  readonly mergeable: 'MERGEABLE' | 'CONFLICTING' | 'UNKNOWN'
  /** Whether GitHub would merge it. Absent where the server does not know the field. */
  readonly mergeStateStatus?:
    | 'BEHIND'
    | 'BLOCKED'
    | 'CLEAN'
    | 'DIRTY'
    | 'DRAFT'
    | 'HAS_HOOKS'
    | 'UNKNOWN'
    | 'UNSTABLE'
  readonly reviewDecision: 'APPROVED' | 'CHANGES_REQUESTED' | 'REVIEW_REQUIRED' | null
  readonly createdAt: string
  readonly updatedAt: string
  readonly mergeCommit: { readonly oid: string } | null
  readonly mergedBy: RawActor | null
  /** Null where nothing ever ran, and where the token may not know. */
  readonly statusCheckRollup: { readonly state: RollupState } | null
  /** Absent where the server does not know it. */
  readonly mergeQueueEntry?: RawQueueEntry | null
  /** Absent where the server does not know it. */
  readonly autoMergeRequest?: {
    readonly enabledAt: string | null
    readonly enabledBy: RawActor | null
  } | null
}

export interface RawQueueEntry {
  readonly position: number
  readonly state: 'AWAITING_CHECKS' | 'LOCKED' | 'MERGEABLE' | 'QUEUED' | 'UNMERGEABLE'
  readonly enqueuedAt: string
  readonly enqueuer: RawActor | null
  /** What it comes to, with those before it; null until that is made. */
  readonly headCommit: {
    readonly oid: string
    readonly statusCheckRollup: { readonly state: RollupState } | null
  } | null
}

/**
 * What the base asks for, as far as GitHub shows it to those who are no administrators. All but the
 * contexts may be absent on older servers.
 */
export interface RawRule {
  readonly requiredStatusCheckContexts: readonly (string | null)[] | null
  readonly requiredApprovingReviewCount?: number | null
  readonly requiresCodeOwnerReviews?: boolean
  readonly requiresConversationResolution?: boolean
  readonly requiresSignatures?: boolean
}

/** Tier 2, as it comes: first pages. */
export interface RawPull extends RawState {
  readonly body: string
  readonly author: RawActor | null
  readonly authorAssociation: Association
  readonly baseRef: {
    readonly target: { readonly oid: string } | null
    readonly refUpdateRule: RawRule | null
  } | null
  readonly reviews: RawConnection<RawReview> | null
  readonly comments: RawConnection<RawComment>
  readonly statusCheckRollup: {
    readonly state: RollupState
    readonly contexts: RawConnection<RawContext>
  } | null
}

export type Threads = ReadonlyMap<
  string,
  { readonly id: string; readonly resolved: boolean; readonly side: Side }
>

/** A pull request read to the ends of its lists. */
export interface FullPull {
  /** As tier 1 says it, from the same moment. */
  readonly state: RawState
  readonly body: string
  readonly author: RawActor | null
  readonly authorAssociation: Association
  /**
   * What must have passed before a merge, as far as GitHub shows it to those who are no
   * administrators.
   */
  readonly requiredContexts: readonly string[]
  readonly rule: Omit<RawRule, 'requiredStatusCheckContexts'> | null
  readonly reviews: readonly (Omit<RawReview, 'comments'> & {
    readonly comments: readonly RawLineComment[]
  })[]
  readonly comments: readonly RawComment[]
  readonly contexts: readonly RawContext[]
  /**
   * Conversations on lines, by the id of the comment that begins each; null where GitHub did not
   * say.
   */
  readonly threads: Threads | null
  /**
   * Who was asked for a review, where one is required; null where GitHub did not say, and where
   * none is required.
   */
  readonly requests: readonly RawRequest[] | null
  /** Its checks in the merge queue; null where they could not be read, and where it is in none. */
  readonly queueContexts: readonly RawContext[] | null
  /** The token may not read all of the contexts, or not what they come to. */
  readonly checksDenied: boolean
}

/** One pull request of a read. A failed or partial read is unknown, never empty. */
export type Read<Value> = { readonly value: Value } | Unreadable | { readonly missing: true }
