/** Signs of life of a call that takes long. Milliseconds. */
export interface HeartbeatTimes {
  /** Until the first sign. */
  readonly first: number
  /** Between the others. Clients give up after a minute without one. */
  readonly every: number
}

export const HEARTBEAT: HeartbeatTimes = { first: 2000, every: 10_000 }

export interface Heartbeat {
  /**
   * What is being waited for; sent at once, and again with every beat. Nothing where it is no
   * words.
   */
  say(message: string): void
  stop(): void
}

/**
 * Notifies a waiting client, whose request would otherwise run into its timeout, that a call goes
 * on. `progress` rises with each sign, as the protocol asks.
 */
export function startHeartbeat(
  name: string,
  notify: (progress: number, message: string) => void,
  clock: () => number,
  times = HEARTBEAT,
): Heartbeat {
  const startedAt = clock()
  let progress = 0
  let words = `${name} goes on`
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  const beat = (): void => {
    notify((progress += 1), `${words} (${Math.round((clock() - startedAt) / 1000)} s)`)
    timer = setTimeout(beat, times.every)
  }
  timer = setTimeout(beat, times.first)
  return {
    say: (message) => {
      if (stopped || message === '') return
      words = message
      notify((progress += 1), message)
    },
    stop: () => {
      stopped = true
      clearTimeout(timer)
    },
  }
}
