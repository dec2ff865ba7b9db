import type { Actor } from '../../domain/ids.ts'
import type { Landing, LandingOutcome } from './landing.ts'

/**
 * Pull requests that wait to land, and the callers that wait for what comes of them: more may come
 * later.
 */
export interface PendingLandings {
  /**
   * What the queue calls. It is known from here on until it has ended. `by`: who asked for it, and
   * is notified of it unless they wait themselves.
   */
  begin(number: number, by: Actor): Pick<Landing, 'ended' | 'progress' | 'awaited'>
  /**
   * One more caller that waits, until its signal or `leave`. Undefined: nothing of that number
   * waits here.
   */
  join(number: number, by: Actor, options: Listening): Waiter | undefined
}

interface Listening {
  readonly signal?: AbortSignal | undefined
  readonly progress?: ((words: string) => void) | undefined
}

export interface Waiter {
  /** What came of it; null where the caller left before. */
  outcome(): Promise<LandingOutcome | null>
  leave(): void
}

interface Pending {
  readonly outcome: PromiseWithResolvers<LandingOutcome>
  ended: LandingOutcome | undefined
  readonly waiters: Set<{ readonly by: Actor; readonly progress: Listening['progress'] }>
}

export function createPendingLandings(): PendingLandings {
  const landings = new Map<number, Pending>()

  return {
    begin: (number, by) => {
      const pending: Pending = {
        outcome: Promise.withResolvers(),
        ended: undefined,
        waiters: new Set(),
      }
      landings.set(number, pending)
      return {
        ended: (outcome) => {
          pending.ended = outcome
          pending.outcome.resolve(outcome)
          if (landings.get(number) === pending) landings.delete(number)
        },
        progress: (words) => {
          for (const { progress } of pending.waiters) progress?.(words)
        },
        awaited: () => [...pending.waiters].some((waiter) => waiter.by === by),
      }
    },

    join: (number, by, { signal, progress }) => {
      const pending = landings.get(number)
      if (pending === undefined) return undefined
      const waiter = { by, progress }
      const left = Promise.withResolvers<null>()
      pending.waiters.add(waiter)
      const leave = (): void => {
        pending.waiters.delete(waiter)
        left.resolve(null)
      }
      if (signal?.aborted === true) leave()
      signal?.addEventListener('abort', leave, { once: true })
      return {
        leave,
        outcome: async () => {
          try {
            return pending.ended ?? (await Promise.race([pending.outcome.promise, left.promise]))
          } finally {
            signal?.removeEventListener('abort', leave)
          }
        },
      }
    },
  }
}
