import type { Sha } from '../../domain/ids.ts'
import type { MergeStrategy } from './merge-results.ts'
import type { MergeKind } from './scheduled.ts'

/** What came of a merge that was asked for. */
export type MergeResult =
  | { kind: 'merged'; sha: Sha; head: Sha }
  | { kind: 'head_changed'; head: Sha }
  | { kind: 'conflict'; files: readonly string[] }
  | { kind: 'not_open'; state: 'merged' | 'closed' }
  /**
   * A rule of the forge’s own stands against it (a required check or review, a strategy that the
   * repository forbids), in its words.
   */
  | { kind: 'refused'; reason: string }
  | MergeScheduled
  /** It was to be merged once nothing stands against it, and for the forge nothing does. */
  | { kind: 'ready' }

/**
 * The forge merges it by itself from now on: in its turn, or once nothing stands against it.
 * `since`: by the forge’s clock, milliseconds since the epoch.
 */
export interface MergeScheduled {
  kind: 'scheduled'
  how: MergeKind
  /** In the queue, from 1; null where it is not in one. */
  position: number | null
  since: number
}

/** How pull requests may be merged into a branch. */
export interface MergeWays {
  readonly allowed: readonly MergeStrategy[]
  /**
   * What forbids the others, without a full stop; null where nothing does, as far as can be
   * determined.
   */
  readonly why: string | null
  /** A merge queue merges into it. */
  readonly queue?: true
}

export const ANY_WAY: MergeWays = { allowed: ['merge', 'squash', 'rebase'], why: null }
