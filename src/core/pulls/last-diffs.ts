import type { PullRequestSnapshot } from '../../adapters/forge/forge.ts'
import type { Clock } from '../../domain/clock.ts'

/** So many are kept, for so long (ms), and none that is larger (characters). */
const KEPT = 4
const FRESH = 60_000
const LARGEST = 20_000_000

type Pull = Pick<PullRequestSnapshot, 'number' | 'head' | 'base'>

/**
 * The diffs that were read last, each of one head and base: who reads a large one file by file has
 * the forge make it once.
 */
export function createLastDiffs(clock: Clock): {
  get(pull: Pull): string | undefined
  keep(pull: Pull, diff: string): void
} {
  const kept = new Map<string, { readonly diff: string; readonly at: number }>()
  const keyOf = ({ number, head, base }: Pull): string =>
    [number, head.sha, base.branch, base.sha ?? ''].join(' ')
  const prune = (): void => {
    for (const [key, { at }] of kept) if (clock() - at > FRESH || kept.size > KEPT) kept.delete(key)
  }
  return {
    get: (pull) => {
      prune()
      return kept.get(keyOf(pull))?.diff
    },
    keep: (pull, diff) => {
      if (diff.length > LARGEST) return
      kept.set(keyOf(pull), { diff, at: clock() })
      prune()
    },
  }
}
