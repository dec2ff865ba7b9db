/** So many milliseconds, or until one of the signals is aborted. */
export const pause = (milliseconds: number, ...signals: readonly AbortSignal[]): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer)
      for (const signal of signals) signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, milliseconds)
    for (const signal of signals) signal.addEventListener('abort', done, { once: true })
    if (signals.some(({ aborted }) => aborted)) done()
  })
