import type { Actor } from '../../domain/ids.ts'
import type { Check, ChecksState } from './check.ts'

/**
 * `queue`: the base’s merge queue merges it in its turn. `auto`: it is merged once nothing stands
 * against it (auto-merge).
 */
export type MergeKind = 'queue' | 'auto'

/** A merge that the forge makes by itself. */
export type ScheduledMerge = {
  /** Who asked for it, and since when by the forge’s clock (milliseconds since the epoch). */
  readonly by: Actor
  readonly since: number
} & (QueuedMerge | { readonly kind: 'auto' })

export interface QueuedMerge {
  readonly kind: 'queue'
  /** From 1. */
  readonly position: number
  /** `unmergeable`: it is about to be removed. */
  readonly state: 'waiting' | 'checking' | 'mergeable' | 'unmergeable'
  /**
   * Of what its merge comes to, together with those before it; null where they could not be read.
   */
  readonly checks: readonly Check[] | null
  readonly checksState: ChecksState
}

/** One that is not to come any more. */
export interface CancelledMerge {
  readonly kind: MergeKind
  /** Part of a sentence, without a full stop; null where the forge does not say. */
  readonly reason: string | null
  /** By the forge’s clock. Milliseconds since the epoch. */
  readonly at: number
  /** What failed of its checks in the queue. */
  readonly failed: readonly Check[]
}

export interface ScheduledMerges {
  /** Takes it out of the queue and turns auto-merge off; nothing where it is in neither. */
  cancel(number: number): Promise<void>
  /**
   * The last one of that kind that was cancelled; null where the forge knows of none.
   * FORGE_UNAVAILABLE where it can’t be asked now.
   */
  cancelled(number: number, kind: MergeKind): Promise<CancelledMerge | null>
}
