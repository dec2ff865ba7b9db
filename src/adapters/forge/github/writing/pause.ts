import { setTimeout as wait } from 'node:timers/promises'

/** Waits before another try: each time twice as long. */
export type Pause = (tries: number) => Promise<void>

export const createPause =
  (retryDelay = 1000): Pause =>
  (tries) =>
    wait(retryDelay * 2 ** tries)
