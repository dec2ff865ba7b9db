import type { Side } from './formats/line-range.ts'
import type { Actor, AgentId, BranchName, Sha } from './ids.ts'

/** What the local forge has on record. */

export interface PullRow {
  readonly number: number
  readonly title: string
  readonly body: string
  readonly draft: boolean
  readonly headBranch: BranchName
  readonly baseBranch: BranchName
  /** Head as last pushed or merged. */
  readonly headSha: Sha
  readonly agentId: AgentId | null
  readonly state: 'open' | 'merged' | 'closed'
  readonly mergeSha: Sha | null
  readonly mergedBy: Actor | null
  /** Head at the merge: after a squash, children are rebased from it. */
  readonly mergedHead: Sha | null
  readonly createdAt: number
  readonly updatedAt: number
}

export interface ReviewRow {
  readonly id: number
  readonly pull: number
  readonly author: Actor
  readonly state: 'approved' | 'changes_requested' | 'commented'
  readonly body: string
  readonly commit: Sha
  readonly submittedAt: number
  readonly comments: readonly ReviewCommentRow[]
}

export interface ReviewCommentRow {
  readonly id: number
  readonly path: string
  /** Line of the file, from 1, the last one of a range; null for the whole file. */
  readonly line: number | null
  /** First line of the range, before `line`; null where it is about one line, or the whole file. */
  readonly startLine: number | null
  /** Which version its lines are of. */
  readonly side: Side
  readonly body: string
  /** First comment of the conversation that it answers; null where it begins one. */
  readonly thread: number | null
  /** Whether that conversation was resolved. */
  readonly resolved: boolean
}

export type CheckStatus =
  | 'queued'
  | 'running'
  | 'passed'
  | 'failed'
  | 'cancelled'
  | 'interrupted'
  | 'timed_out'

/**
 * `pull`: of one pull request merged with its base; `result`: of what landing one or several would
 * come to; `base`: of a branch as it is.
 */
export type CheckKind = 'pull' | 'result' | 'base'

export interface CheckRow {
  readonly id: number
  /** Null for a base, and for the result of several. */
  readonly pull: number | null
  readonly kind: CheckKind
  readonly name: string
  /** Of a pull request its head; else the commit that was checked. */
  readonly head: Sha
  /**
   * Tip of the base that it was merged with; null where it was checked alone, or before this was
   * recorded.
   */
  readonly base: Sha | null
  /**
   * The files that were checked. A result counts for every commit with these; null before this was
   * recorded.
   */
  readonly tree: Sha | null
  /** Hash of the command: a changed configuration runs anew. */
  readonly configHash: string
  readonly status: CheckStatus
  readonly exitCode: number | null
  readonly logPath: string
  readonly startedAt: number | null
  readonly finishedAt: number | null
}
