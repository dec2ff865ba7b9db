/** Runs one piece of work after the other, in the order asked. A failure is its caller’s alone. */
export type Mutex = <T>(work: () => Promise<T>) => Promise<T>

export function createMutex(): Mutex {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const result = last.then(work, work)
    last = result.catch(() => undefined)
    return result
  }
}

/** Runs at most so many at the same time, the others in the order asked. */
export function createLimit(most: number): Mutex {
  let running = 0
  const waiting: (() => void)[] = []
  return async (work) => {
    if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve))
    else running += 1
    try {
      return await work()
    } finally {
      // Its place is handed on.
      const next = waiting.shift()
      if (next === undefined) running -= 1
      else next()
    }
  }
}

/**
 * Joins concurrent calls of one key. A call that comes while a run is under way gets the next run,
 * not that one: what it wants to see may have happened after the run began. At most one run per key
 * waits.
 */
export function createCoalescer(): (key: string, work: () => Promise<void>) => Promise<void> {
  const running = new Map<string, Promise<void>>()
  const waiting = new Map<string, Promise<void>>()
  const run = (key: string, work: () => Promise<void>): Promise<void> => {
    const result = work().finally(() => running.delete(key))
    running.set(key, result)
    return result
  }
  return (key, work) => {
    const current = running.get(key)
    if (current === undefined) return run(key, work)
    const next =
      waiting.get(key) ??
      current
        .catch(() => undefined)
        .then(() => {
          waiting.delete(key)
          return run(key, work)
        })
    waiting.set(key, next)
    return next
  }
}
