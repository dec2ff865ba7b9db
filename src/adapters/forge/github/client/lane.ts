import { performance } from 'node:perf_hooks'
import { setTimeout as wait } from 'node:timers/promises'

type Work<Result> = (...parameters: readonly unknown[]) => Result | Promise<Result>

/**
 * What plugin-throttling takes for a lane: starts its jobs in order with a pause between them. The
 * plugin’s own ones keep a clock that can’t be set, and are shared by all clients of a process.
 */
export interface Lane {
  key(): {
    schedule<Result>(
      job: unknown,
      work: Work<Result>,
      ...parameters: readonly unknown[]
    ): Promise<Result>
  }
}

/** `gap`: milliseconds between two starts. */
export function createLane(gap: number): Lane {
  let free = 0
  return {
    key: () => ({
      async schedule(_job, work, ...parameters) {
        const now = performance.now()
        const turn = Math.max(now, free)
        free = turn + gap
        if (turn > now) await wait(turn - now)
        return work(...parameters)
      },
    }),
  }
}
