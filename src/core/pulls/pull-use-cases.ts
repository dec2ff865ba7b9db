import type { Caller } from '../../domain/caller.ts'
import type { Actor } from '../../domain/ids.ts'
import type { OnceContext } from '../once.ts'
import type { NewLineComment } from './new-line-comment.ts'
import type { ReplyInput } from './review-replies.ts'
import type {
  FiledPull,
  MergedPull,
  PullChecks,
  PullDetails,
  PullSummary,
} from './pull-documents.ts'
import type { MergeStrategy } from '../../adapters/forge/merge-results.ts'

export interface Pulls {
  /**
   * `since`: the same was asked for then, and cut off; where what it filed was merged meanwhile,
   * that is the result. Milliseconds since the epoch.
   */
  file(
    caller: Caller,
    input: { title: string; body: string; draft: boolean },
    since?: number | null,
  ): Promise<FiledPull>
  /**
   * `head`: what the caller looked at; HEAD_CHANGED where others’ commits came since. A result that
   * nothing has checked is checked first: with `wait` that is waited for (CHECKS_FAILED where it is
   * red), until `signal` says that the caller is gone; it goes on without it. `whenReady`: what may
   * pass with this head is left to the forge to wait for, where it can. `by`: who is said to have
   * merged it; default: the caller.
   */
  merge(
    caller: Caller,
    input: {
      number: number
      strategy?: MergeStrategy | undefined
      force: boolean
      head?: string | undefined
      wait?: boolean | undefined
      whenReady?: boolean | undefined
    },
    options?: { signal?: AbortSignal; progress?: (words: string) => void; by?: Actor },
  ): Promise<MergedPull>
  review(
    caller: Caller,
    input: {
      number: number
      /** What the caller looked at; HEAD_CHANGED where there is more by now. */
      head?: string | undefined
      /** Left out: a comment, where there are words for one. */
      verdict?: 'approve' | 'request_changes' | 'comment' | undefined
      body: string
      comments: readonly NewLineComment[]
      replies: readonly ReplyInput[]
    },
    once?: Pick<OnceContext, 'since' | 'begun'>,
  ): Promise<{ review_id: string | null; state: string | null; replies: number }>
  list(filter: {
    state?: 'open' | 'merged' | 'closed' | 'all' | undefined
  }): Promise<{ pull_requests: PullSummary[] }>
  /** NOT_ALLOWED, like `diff` and `checks`, for agents where it comes from a fork. */
  show(caller: Caller, number: number): Promise<PullDetails>
  /** What it brings, oldest first. */
  commits(
    caller: Caller,
    number: number,
  ): Promise<{
    number: number
    commits: { sha: string; title: string; author: string; at: number }[]
  }>
  /** The diff and the head that it is of. */
  diff(caller: Caller, number: number): Promise<{ number: number; head_sha: string; diff: string }>
  /**
   * `log` adds the whole log of one; `rerun` first runs them again (not for agents of the role
   * dev).
   */
  checks(
    caller: Caller,
    number: number,
    options: { log?: string | undefined; rerun?: boolean | undefined },
  ): Promise<PullChecks>
}
