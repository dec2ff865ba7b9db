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

/** The same with the time of its beginning, which stays true. */
export interface Landing extends Pick<LandingView, 'step' | 'together'> {
  /** Milliseconds since the epoch. */
  readonly since: number
}

/** By number, of the open entries of the journal. */
export function landingsIn(
  journal: readonly JournalEntry[],
  now: number,
): Map<number, LandingView> {
  return new Map(
    [...landingsOf(journal)].map(([number, landing]) => [number, landingView(landing, now)]),
  )
}

export const landingView = ({ step, since, together }: Landing, now: number): LandingView => ({
  step,
  since_seconds: Math.max(0, Math.round((now - since) / 1000)),
  together,
})

export function landingsOf(journal: readonly JournalEntry[]): Map<number, Landing> {
  const landings = new Map<number, Landing>()
  for (const entry of journal) {
    const { number, queuedAt, together = [] } = entry.data as MergeIntent
    if (entry.kind !== 'merge' || queuedAt === undefined) continue
    const others =
      waitsToLand(entry) && entry.step !== 'queued'
        ? together.filter((other) => other !== number)
        : []
    landings.set(number, {
      step: SHOWN[entry.step] ?? 'landing',
      since: queuedAt,
      together: others,
    })
  }
  return landings
}
