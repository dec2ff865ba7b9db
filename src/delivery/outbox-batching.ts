import type { Delivery } from '../domain/records.ts'
import { definitionOf } from '../events/event.ts'
import { RAW } from './outbox-message.ts'

/** Whether it begins a turn of an agent at rest; the others are carried along with one that does. */
export const wakes = ({ reach }: Pick<Delivery, 'reach'>): boolean => reach === 'wake'

/**
 * Until when what wakes an agent at rest waits for what may come with it (ms since the epoch):
 * `within` after the first. Nobody who wrote something is kept waiting for that.
 */
export function batchedUntil(
  queued: readonly Pick<Delivery, 'reach' | 'kind' | 'createdAt'>[],
  { now, within }: { readonly now: number; readonly within: number },
): number {
  const waking = queued.filter(wakes)
  return waking.some(({ kind }) => kind === RAW || definitionOf(kind)?.personal === true)
    ? 0
    : // The clock may have been set back since.
      Math.min(now, ...waking.map(({ createdAt }) => createdAt)) + within
}
