import { parseDuration } from './duration.ts'
import { subtract, type Interval } from './interval.ts'

/**
 * The parts of `day` that none of `busy` covers and that last at least as long as `atLeast`
 * ("30m").
 */
export function freeSlots(day: Interval, busy: readonly Interval[], atLeast = '1m'): Interval[] {
  const shortest = parseDuration(atLeast)
  return subtract(day, busy).filter(({ start, end }) => end - start >= shortest)
}
