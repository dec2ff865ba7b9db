import type { Landing } from './landing.ts'

/** What waits to land on one base. */
export interface Lane {
  waiting: Landing[]
  /** The last one was asked for (ms since the epoch). */
  askedAt: number
  /** Taken out of `waiting`, and checked now. */
  group: readonly Landing[]
  working: Promise<void> | undefined
}
