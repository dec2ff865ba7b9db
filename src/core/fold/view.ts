import type { JournalEntry } from '../../domain/records.ts'
import { waitsToLand, type MergeIntent } from '../pulls/merge/journal.ts'

/** A pull request that waits to land, as people are shown it. */
export interface LandingView {
  /**
   * `queued`: it waits for its turn. `checking`: the result is being checked. `landing`: it was
   * green, and lands now.
   */
  step: 'queued' | 'checking' | 'landing'
  since_seconds: number
  /** Numbers of those whose result is checked together with its own. */
  together: number[]
}

const SHOWN: Readonly<Record<string, LandingView['step']>> = {
  queued: 'queued',
  built: 'checking',
  checking: 'checking',
  checked: 'landing',
}

/** By number, of the open entries of the journal. */
export function landingsIn(
  journal: readonly JournalEntry[],
  now: number,
): Map<number, LandingView> {
  const landings = new Map<number, LandingView>()
  for (const entry of journal) {
    const { number, queuedAt, together = [] } = entry.data as MergeIntent
    if (entry.kind !== 'merge' || queuedAt === undefined) continue
    const others =
      waitsToLand(entry) && entry.step !== 'queued'
        ? together.filter((other) => other !== number)
        : []
    landings.set(number, {
      step: SHOWN[entry.step] ?? 'landing',
      since_seconds: Math.max(0, Math.round((now - queuedAt) / 1000)),
      together: others,
    })
  }
  return landings
}
