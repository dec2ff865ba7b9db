/** What a wait is woken by, and ended by. */
export interface Wakes {
  /** Milliseconds; 0 looks once. */
  readonly timeout: number
  /** Ends it without a result. */
  readonly signal: AbortSignal
  /** Calls back whenever looking again may help. Returns how to stop. */
  readonly subscribe: (wake: () => void) => () => void
  /** The first look found nothing: from here on time passes. Returns what to call at the end. */
  readonly begun: () => Promise<() => Promise<void>>
}

/**
 * Looks until a look returns something: at once, whenever it is woken, and a last time when the
 * time is up, which has to answer. Wake-ups that come during a look become one look. In between it
 * costs a timer and its subscriptions. Undefined where the signal ended it.
 */
export async function lookUntil<Result>(
  look: (last: boolean) => Promise<Result | undefined>,
  { timeout, signal, subscribe, begun }: Wakes,
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
  signal.addEventListener('abort', wake, { once: true })
  try {
    while (!signal.aborted) {
      if (isWoken) {
        isWoken = false
        const result = await look(isOver)
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
    unsubscribe()
    signal.removeEventListener('abort', wake)
    await ended?.()
  }
}
