/** Places for checks that run at the same time, given in the order asked. */
export interface CheckSlots {
  /**
   * Waits for a place; resolves with what gives it back, or null where no more are given. `ready`
   * is asked when its turn comes: while it denies, those behind it go first.
   */
  take(options: {
    readonly parallel: number
    readonly front?: boolean
    /** After all that are not. */
    readonly idle?: boolean
    readonly ready?: () => boolean
    readonly signal?: AbortSignal
  }): Promise<(() => void) | null>
  /** Something that a `ready` looks at has changed. */
  look(): void
  /** Gives no more; those that wait are notified. */
  close(): void
  readonly busy: () => number
}

interface Waiting {
  readonly parallel: number
  readonly idle: boolean
  readonly ready: () => boolean
  readonly give: (release: (() => void) | null) => void
}

export function createCheckSlots(): CheckSlots {
  const waiting: Waiting[] = []
  let taken = 0
  let closed = false

  const look = (): void => {
    for (let next = 0; !closed && next < waiting.length;) {
      const { parallel, ready, give } = waiting[next]!
      if (taken >= parallel || !ready()) {
        next += 1
        continue
      }
      waiting.splice(next, 1)
      taken += 1
      let mine = true
      give(() => {
        if (!mine) return
        mine = false
        taken -= 1
        look()
      })
    }
  }

  return {
    busy: () => taken,
    look,
    take: ({ parallel, front = false, idle = false, ready = () => true, signal }) =>
      new Promise((resolve) => {
        if (closed || signal?.aborted === true) return resolve(null)
        const leave = (): void => {
          const place = waiting.indexOf(mine)
          if (place < 0) return
          waiting.splice(place, 1)
          resolve(null)
        }
        const mine: Waiting = {
          parallel,
          idle,
          ready,
          give: (release) => {
            signal?.removeEventListener('abort', leave)
            resolve(release)
          },
        }
        signal?.addEventListener('abort', leave, { once: true })
        if (front) waiting.unshift(mine)
        else {
          const idler = idle ? -1 : waiting.findIndex((one) => one.idle)
          waiting.splice(idler < 0 ? waiting.length : idler, 0, mine)
        }
        look()
      }),
    close: () => {
      closed = true
      for (const { give } of waiting.splice(0)) give(null)
    },
  }
}
