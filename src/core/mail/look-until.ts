import { ExomonadError } from '../../domain/errors.ts'

/** What a wait is woken by, and ended by. */
export interface Wakes {
  /** Milliseconds; 0 looks once. */
  readonly timeout: number
  /** Ends it without a result. */
  readonly signal: AbortSignal
  /** Calls back whenever looking again may help. Returns how to stop. */
  readonly subscribe: (wake: () => void) => () => void
  /** Milliseconds after which it looks without being woken; null where no wake-up is lost. */
  readonly lookEvery: number | null
  /** Called before such a look. */
  readonly lookAnew?: () => void
  /** The first look found nothing: from here on time passes. Returns what to call at the end. */
  readonly begun: () => Promise<() => Promise<void>>
}

/**
 * Looks until a look returns something: at once, whenever it is woken, and a last time when the
 * time is up, which has to answer. Wake-ups that come during a look become one look. In between it
 * costs a timer and its subscriptions. A store that can’t be reached ends only the first look and
 * the last: it comes back by itself, with all that was in it. Undefined where the signal ended it.
 */
export async function lookUntil<Result>(
  look: (last: boolean) => Promise<Result | undefined>,
  { timeout, signal, subscribe, lookEvery, lookAnew, begun }: Wakes,
) {
  let isWoken = true
  let isOver = timeout === 0
  let goOn = (): void => {}
  let timer: NodeJS.Timeout | undefined
  let ended: (() => Promise<void>) | undefined
  const wake = (): void => {
    isWoken = true
    goOn()
  }
  const unsubscribe = subscribe(wake)
  const looking =
    lookEvery === null
      ? undefined
      : setInterval(() => {
          lookAnew?.()
          wake()
        }, lookEvery).unref()
  signal.addEventListener('abort', wake, { once: true })
  try {
    while (!signal.aborted) {
      if (isWoken) {
        isWoken = false
        const isLast = isOver
        const result = await look(isLast).catch((error: unknown) => {
          if (ended === undefined || isLast || !isUnavailable(error)) throw error
          return undefined
        })
        if (result !== undefined) return result
      }
      if (ended === undefined) {
        timer = setTimeout(() => {
          isOver = true
          wake()
        }, timeout)
        ended = await begun()
      }
      await new Promise<void>((resolve) => {
        goOn = resolve
        if (isWoken || signal.aborted) resolve()
      })
    }
    return undefined
  } finally {
    clearTimeout(timer)
    clearInterval(looking)
    unsubscribe()
    signal.removeEventListener('abort', wake)
    await ended?.()
  }
}

const isUnavailable = (error: unknown): boolean =>
  error instanceof ExomonadError && error.code === 'STORE_UNAVAILABLE'
