/** Work that is repeated, one at a time. */
export interface Loop {
  /** Does it soon, or once more after what runs now. */
  wake(): void
}

/**
 * Repeats work until the signal. It returns in how many milliseconds it wants to be done again by
 * itself; Infinity: only when woken. However often it is woken, it is not done sooner than `pause`
 * milliseconds after it ended, nor sooner than it took: a slow daemon is asked less.
 */
export function startLoop(
  work: () => Promise<number>,
  { pause, signal }: { pause: number; signal: AbortSignal },
): Loop {
  let timer: NodeJS.Timeout | undefined
  let due = 0
  let running = false
  let again = false
  let notBefore = 0

  const schedule = (at: number): void => {
    if (signal.aborted || at === Number.POSITIVE_INFINITY) return
    if (timer !== undefined && due <= at) return
    clearTimeout(timer)
    due = at
    timer = setTimeout(() => void run(), Math.max(0, at - performance.now()))
  }
  const run = async (): Promise<void> => {
    timer = undefined
    running = true
    again = false
    const begun = performance.now()
    const next = await work()
    running = false
    const ended = performance.now()
    notBefore = ended + Math.max(pause, ended - begun)
    schedule(again ? notBefore : Math.max(notBefore, ended + next))
  }
  signal.addEventListener('abort', () => clearTimeout(timer), { once: true })
  schedule(performance.now())
  return {
    wake: () => {
      if (running) again = true
      else schedule(Math.max(notBefore, performance.now()))
    },
  }
}
