/** Timers that all end with whoever holds them, and keep no process alive. */
export interface OwnTimers {
  later(milliseconds: number, work: () => void): void
  /** Never resolves once they are stopped. */
  pause(milliseconds: number): Promise<void>
  stop(): void
}

export function createOwnTimers(): OwnTimers {
  const timers = new Set<NodeJS.Timeout>()
  const later: OwnTimers['later'] = (milliseconds, work) => {
    const timer = setTimeout(() => {
      timers.delete(timer)
      work()
    }, milliseconds)
    timer.unref()
    timers.add(timer)
  }
  return {
    later,
    pause: (milliseconds) => new Promise((resolve) => later(milliseconds, resolve)),
    stop: () => {
      for (const timer of timers) clearTimeout(timer)
    },
  }
}
