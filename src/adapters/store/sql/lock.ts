/** Lets one holder through at a time, in the order of asking. */
export interface Lock {
  /** Resolves with the function that lets the next one through. Calling it twice is harmless. */
  acquire(): Promise<() => void>
}

export function createLock(): Lock {
  let tail: Promise<void> = Promise.resolve()
  return {
    acquire() {
      const { promise: released, resolve: release } = Promise.withResolvers<void>()
      const turn = tail.then(() => () => release())
      tail = tail.then(() => released)
      return turn
    },
  }
}
