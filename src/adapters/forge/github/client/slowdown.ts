import type { RateLimit } from '../../budget.ts'

/**
 * Beyond this, looking slower saves nothing worth having, and nobody would see anything any more.
 */
export const SLOWEST = 60

/**
 * How many times slower than configured to go so that what is left of a limit lasts until it is
 * reset, with a share of it kept for others. `pace`: units that are spent per millisecond at full
 * speed. Between 1 and SLOWEST.
 */
export function slowdownFor({
  limit,
  pace,
  reserve,
  now,
}: {
  limit: RateLimit | null
  pace: number
  reserve: number
  now: number
}): number {
  if (limit === null || limit.limit <= 0) return 1
  const left = limit.resetAt - now
  if (left <= 0) return 1
  const usable = limit.remaining - limit.limit * reserve
  const needed = pace * left
  if (needed <= usable) return 1
  return usable <= 0 ? SLOWEST : Math.min(SLOWEST, needed / usable)
}
