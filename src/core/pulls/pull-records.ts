import type { PullRequestSnapshot } from '../../adapters/forge/forge.ts'
import type { StoreVerbs } from '../../adapters/store/store.ts'

/**
 * The last known state of all tracked pull requests, by number: read from the store, nothing is
 * asked of the forge. Those from forks are nobody’s here, whatever their branch is called.
 */
export async function knownPulls(store: StoreVerbs): Promise<PullRequestSnapshot[]> {
  const records = await store.snapshots.list(PULL_PREFIX)
  return pullsIn(records.values())
}

/** The same of the records themselves. */
export const pullsIn = (records: Iterable<Record<string, unknown>>): PullRequestSnapshot[] =>
  [...records]
    .map((record) => record['snapshot'] as PullRequestSnapshot)
    .filter((pull) => pull.trusted !== false)
    .sort((a, b) => a.number - b.number)

/** Branches whose pull request was merged and has no newer open one: their agents are done. */
export function mergedBranches(pulls: readonly PullRequestSnapshot[]): Set<string> {
  const merged = new Set<string>()
  for (const pull of pulls) {
    if (pull.state === 'merged') merged.add(pull.head.branch)
    else if (pull.state === 'open') merged.delete(pull.head.branch)
  }
  return merged
}

/**
 * What is remembered of a pull request beside its last snapshot. Times are milliseconds since the
 * epoch.
 */
export interface Tracking {
  readonly lastMergeable: 'mergeable' | 'conflicting' | null
  /** Heads in a row whose checks failed, and the last of them. */
  readonly failedHeads: number
  readonly lastFailedHead: string | null
  /** Failed checks and change requests since it was last green. */
  readonly rounds: number
  /** When something last happened to it. */
  readonly progressAt: number
  /** Since when a review of the head is awaited, and whether after fixes. */
  readonly reviewSince: number
  readonly afterFixes: boolean
  /** The last event there was when it was read last. Absent from what was stored before. */
  readonly lookedSeq?: number
  /**
   * How often news of it was withdrawn before anybody had it: what is so again is reported again.
   * Absent: never.
   */
  readonly withdrawn?: number
}

/** What is stored of each under `pull:<number>`. */
export interface PullRecord {
  readonly snapshot: PullRequestSnapshot
  readonly tracking: Tracking
}

export const PULL_PREFIX = 'pull:'

/** Branches whose newest pull request is open and no draft, or merged: their work is filed. */
export function filedBranches(pulls: readonly PullRequestSnapshot[]): Set<string> {
  const filed = new Set<string>()
  for (const { state, draft, head } of pulls) {
    if (state === 'merged' || (state === 'open' && !draft)) filed.add(head.branch)
    else filed.delete(head.branch)
  }
  return filed
}
