import type { PullRequestSnapshot } from '../../adapters/forge/forge.ts'
import type { StoreVerbs } from '../../adapters/store/store.ts'

/**
 * The last known state of all tracked pull requests, by number: read from the store, nothing is asked of the forge. Those from forks are nobody’s
 * here, whatever their branch is called.
 */
export async function knownPulls(store: StoreVerbs): Promise<PullRequestSnapshot[]> {
  const records = await store.snapshots.list('pull:')
  return [...records.values()]
    .map((record) => record['snapshot'] as PullRequestSnapshot)
    .filter((pull) => pull.trusted !== false)
    .sort((a, b) => a.number - b.number)
}

/** Branches whose pull request was merged and has no newer open one: their agents are done. */
export function mergedBranches(pulls: readonly PullRequestSnapshot[]): Set<string> {
  const merged = new Set<string>()
  for (const pull of pulls) {
    if (pull.state === 'merged') merged.add(pull.head.branch)
    else if (pull.state === 'open') merged.delete(pull.head.branch)
  }
  return merged
}
