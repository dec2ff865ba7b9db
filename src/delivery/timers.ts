/** Real time, replaceable in tests. */
export interface Timers {
  /** Calls once after that many milliseconds; returns how to cancel. */
  after(milliseconds: number, callback: () => void): () => void
}

export const realTimers: Timers = {
  after: (milliseconds, callback) => {
    // Longer ones fire at once in Node.
    const timer = setTimeout(callback, Math.min(milliseconds, 2 ** 31 - 1))
    return () => clearTimeout(timer)
  },
}
