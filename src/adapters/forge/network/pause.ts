import { setTimeout as wait } from 'node:timers/promises'

/** Waits before another try, each time twice as long. `pauses`: how many there were. */
export type Pause = (pauses: number) => Promise<void>

export const createPause =
  (retryDelay = 1000): Pause =>
  (pauses) =>
    wait(retryDelay * 2 ** pauses)
