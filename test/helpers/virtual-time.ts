import type { Timers } from '../../src/delivery/timers.ts'

/**
 * Test helper: a wall clock and timers that go on only on request. Timers stand still while the
 * machine `sleeps`, and know nothing of a clock that is set.
 */
export interface VirtualTime {
  readonly clock: () => number
  readonly timers: Timers
  /**
   * Lets so much time pass; after each timer `settled` is awaited, so that what it began has ended.
   */
  pass(milliseconds: number, settled: () => Promise<unknown>): Promise<void>
  /** Only the wall clock goes on, or back. */
  jump(milliseconds: number): void
}

export function virtualTime(start = Date.UTC(2026, 0, 5, 12)): VirtualTime {
  let wall = start
  let elapsed = 0
  let count = 0
  const waiting = new Map<number, { readonly at: number; readonly callback: () => void }>()
  return {
    clock: () => wall,
    timers: {
      after: (milliseconds, callback) => {
        const id = count++
        // Node’s may come a moment early.
        waiting.set(id, {
          at: elapsed + Math.max(milliseconds - (id % 3 === 0 && milliseconds > 1 ? 1 : 0), 0),
          callback,
        })
        return () => void waiting.delete(id)
      },
    },
    jump: (milliseconds) => {
      wall += milliseconds
    },
    pass: async (milliseconds, settled) => {
      const until = elapsed + milliseconds
      await settled()
      for (;;) {
        const next = [...waiting]
          .filter(([, { at }]) => at <= until)
          .sort(([a, one], [b, other]) => one.at - other.at || a - b)[0]
        if (next === undefined) break
        const [id, { at, callback }] = next
        waiting.delete(id)
        wall += Math.max(at - elapsed, 0)
        elapsed = Math.max(at, elapsed)
        callback()
        await settled()
      }
      wall += until - elapsed
      elapsed = until
      await settled()
    },
  }
}
