import type { Interval } from './interval.ts'

/** The parts of `day` that none of `busy` covers and that last at least as long as `atLeast` ("30m"). */
export function freeSlots(day: Interval, busy: readonly Interval[], atLeast = '1m'): Interval[] {
  throw new Error(`freeSlots is not written (${day.start}, ${busy.length}, ${atLeast})`)
}
