import type { UsageHour } from '../../domain/records.ts'

/** What agents used, by the hour. */
export interface UsageStore {
  /** Added to what there is of the same agent, hour and model. */
  add(use: UsageHour): Promise<void>
  /** In the order of hours; `since` is in it, `until` is not. Times are milliseconds. */
  list(range: { since?: number; until?: number }): Promise<UsageHour[]>
  /** Removes hours that began before the time; returns how many rows. */
  prune(before: number): Promise<number>
}
