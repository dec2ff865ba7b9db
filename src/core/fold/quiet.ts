import type { StoredEvent } from '../../domain/records.ts'
import type { Clock } from '../../domain/clock.ts'

/**
 * Whether something that belongs into the same result is about to come: a pull request that has
 * just become ready is about to be asked for, one that has just been found wanting about to be
 * fixed. A result that is checked a moment later has them in it.
 */
export interface Quiet {
  /**
   * Milliseconds until nothing on this base has moved for as long as `linger`; 0 where that is so,
   * or all that did has been asked for.
   */
  in(base: string, linger: number): number
  /** It was asked for, or has ended. */
  settled(number: number): void
  handle(event: StoredEvent): void
}

export function createQuiet(clock: Clock): Quiet {
  const stirred = new Map<number, { readonly base: string; readonly at: number }>()
  const stirs = ({ type, payload }: StoredEvent): boolean =>
    type === 'pr.ready' ||
    type === 'ci.failed' ||
    type === 'pr.conflict' ||
    type === 'pr.pushed' ||
    (type === 'pr.review' && payload['state'] === 'changes_requested')
  const latest = (base: string): number =>
    Math.max(
      -Infinity,
      ...[...stirred.values()].filter((one) => one.base === base).map(({ at }) => at),
    )

  return {
    in: (base, linger) => Math.max(latest(base) + linger - clock(), 0),
    settled: (number) => void stirred.delete(number),
    handle: (event) => {
      const { number, base } = event.payload
      if (typeof number !== 'number' || typeof base !== 'string') return
      if (event.type === 'pr.merged' || event.type === 'pr.closed') stirred.delete(number)
      else if (stirs(event)) stirred.set(number, { base, at: event.at })
    },
  }
}
