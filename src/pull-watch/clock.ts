import type { Clock } from '../domain/clock.ts'

/** Time for the poller’s cadence, whatever is done to the wall clock. */
export interface SteadyClock {
  /** Milliseconds; never less than before. Only differences mean something. */
  now(): number
  /**
   * How far the wall clock jumped since this was asked last, milliseconds; less than 0: back. 0
   * where it just ran.
   */
  takeJump(): number
}

/** A wall clock that goes back further than this was set; less is a correction. Milliseconds. */
const BACK = 60_000
/**
 * Asked at least every `PULSE`, a wall clock that ran so far meanwhile was set, or the machine
 * slept. Milliseconds.
 */
const AHEAD = 120_000
export const PULSE = 30_000

/**
 * To be asked at least every `PULSE`. What the wall clock jumps over, in either direction, counts
 * as no time.
 */
export function createSteadyClock(clock: Clock): SteadyClock {
  let wall = clock()
  let steady = wall
  let jump = 0
  const now = (): number => {
    const step = clock() - wall
    wall += step
    if (step < -BACK || step > AHEAD) jump += step
    else steady += Math.max(step, 0)
    return steady
  }
  return {
    now,
    takeJump: () => {
      now()
      const taken = jump
      jump = 0
      return taken
    },
  }
}
