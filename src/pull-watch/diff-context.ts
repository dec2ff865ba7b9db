import type { CancelledMerge } from '../adapters/forge/scheduled.ts'
import type { Actor } from '../domain/ids.ts'
import type { SameHead } from '../domain/rebased-heads.ts'

/** What two snapshots don’t say. */
export interface DiffContext {
  /** Begins every dedupe key: forge and repository. */
  readonly repository: string
  /** Words before this are old news at the first look (ms since the epoch). */
  readonly newsSince: number
  /** Mergeability when it was last known: unknown in between is no change. */
  readonly lastMergeable: 'mergeable' | 'conflicting' | null
  /** Heads in a row whose checks failed, the present head not counted. */
  readonly failures: number
  /**
   * Whether two heads are the same work, rebased by exomonad: what was reported of the one holds
   * for the other.
   */
  readonly sameHead: SameHead
  /** How often news of it was withdrawn before anybody had it. */
  readonly withdrawn: number
  /** Who decided on the merge here; null where nobody did. */
  readonly mergeStartedBy: Actor | null
  /** The forge made that by itself, a while after it was asked to. */
  readonly mergeScheduled?: boolean
  /** Whose own merges of it came to nothing, where somebody else has made it. */
  readonly triedBy?: readonly Actor[] | undefined
  /** Git remote that holds the branches. */
  readonly remote: string
  /**
   * Why the base here does not have a merge that was made on the forge; null where it has, and of
   * all others.
   */
  readonly localError?: string | undefined
  /** The forge was to merge it by itself, and does not any more. */
  readonly cancelled?: CancelledMerge | undefined
}
