import type { Actor, BranchName, Sha } from '../../domain/ids.ts'
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

/** Of one that was pointed to another base since it was decided to merge it. */
export const goesElsewhere = (base: string): MergeResult => ({
  kind: 'refused',
  reason: `it goes to ${base} now`,
})

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

/** A pull request whose head is in its base since a push of exomonad’s. */
export interface LandedPull {
  readonly number: number
  /** The commit on the base that brought it. */
  readonly sha: Sha
  /** What of it landed. */
  readonly head: Sha
  readonly by: Actor
}

/**
 * Landing by a push to the base itself, on a forge elsewhere that marks a pull request merged once
 * its head is in the base. It takes a while to: what landed counts as merged from then on, in all
 * that is read of it.
 */
export interface BasePush {
  /**
   * Whether nothing but write access is asked of whoever pushes to it: no merge queue, no rule, no
   * protection, be it one that this account could pass. False also where that can’t be read.
   */
  isFree(base: BranchName): Promise<boolean>
  /** A push to it was refused, for what can’t be read beforehand: it is not free for a while. */
  refused(base: BranchName): void
  /** A branch as the forge names it in the message of a merge. */
  headName(branch: BranchName): string
  landed(pulls: readonly LandedPull[]): Promise<void>
  /**
   * Whether the forge itself shows it as merged, waiting for that for a while; true also of one
   * that was not landed by a push.
   */
  isMarked(number: number): Promise<boolean>
}

/** `Forge.settleMerge` of one that was about to be pushed; null where that did not reach the base. */
export type SettlePushed = (options: {
  number: number
  prepared: Sha
  head?: Sha | null
  by: Actor
}) => Promise<MergeResult | null>
