import type { Landing, LandingOutcome } from './landing.ts'

/** Pull requests that wait to land, and the callers that wait for what comes of them: more may come later. */
export interface PendingLandings {
  /** What the queue calls. It is known from here on until it has ended. */
  begin(number: number): Pick<Landing, 'ended' | 'progress' | 'awaited'>
  /** One more caller that waits, until its signal or `leave`. Undefined: nothing of that number waits here. */
  join(number: number, options: { readonly signal?: AbortSignal | undefined; readonly progress?: ((words: string) => void) | undefined }): Waiter | undefined
}

export interface Waiter {
  /** What came of it; null where the caller left before. */
  outcome(): Promise<LandingOutcome | null>
  leave(): void
}

interface Pending {
  readonly outcome: PromiseWithResolvers<LandingOutcome>
  ended: LandingOutcome | undefined
  readonly waiters: Set<{ readonly progress: ((words: string) => void) | undefined }>
}

export function createPendingLandings(): PendingLandings {
  const landings = new Map<number, Pending>()

  return {
    begin: (number) => {
      const pending: Pending = { outcome: Promise.withResolvers(), ended: undefined, waiters: new Set() }
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
        awaited: () => pending.waiters.size > 0,
      }
    },

    join: (number, { signal, progress }) => {
      const pending = landings.get(number)
      if (pending === undefined) return undefined
      const waiter = { progress }
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
