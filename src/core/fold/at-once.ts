import type { MergeChain, MergeResults } from '../../adapters/forge/merge-results.ts'
import type { Sha } from '../../domain/ids.ts'
import type { Deps } from '../deps.ts'
import type { createBuildGroup } from './build-group.ts'
import { readFolded } from './folded.ts'
import type { Landing } from './landing.ts'
import type { Lane } from './lane.ts'
import type { LandAll } from './take-apart.ts'

/**
 * Lands what needs no check any more, while nothing else of its base is being checked: one by
 * itself, or all that waits together, where the fold has found them green. False: it waits.
 */
export function createAtOnce({
  store,
  clock,
  results,
  build,
  landAll,
  waitAgain,
  everyLink,
}: Pick<Deps, 'store' | 'clock'> & {
  results: Pick<MergeResults, 'tip' | 'build' | 'known'>
  build: ReturnType<typeof createBuildGroup>
  landAll: LandAll
  /** Puts those back into the lane that are still to land. */
  waitAgain: (lane: Lane, landings: readonly Landing[]) => Promise<void>
  everyLink: () => Promise<boolean>
}): (lane: Lane, landing: Landing) => Promise<boolean> {
  const isGreen = async ({ links }: MergeChain): Promise<boolean> => {
    const wanted = links.length > 1 && (await everyLink()) ? links : links.slice(-1)
    for (const { tree } of wanted) if ((await results.known(tree)).state !== 'passed') return false
    return wanted.length > 0
  }

  /**
   * All that waits of what was found green, in the order of the fold, as the very commits that it
   * checked.
   */
  const landFolded = async (lane: Lane, landing: Landing, onto: Sha): Promise<boolean> => {
    const { green } = await readFolded({ store, clock }, landing.base)
    if (!green.has(landing.number)) return false
    const all = [...lane.waiting, landing]
      .filter(({ number }) => green.has(number))
      .toSorted((a, b) => a.number - b.number)
    const chain = await results.build(
      onto,
      all.map(({ number, head, intent }) => ({ number, head, strategy: intent.strategy })),
    )
    if (chain.conflicts.length > 0 || !(await isGreen(chain)) || lane.group.length > 0) return false
    const waiting = new Set(lane.waiting)
    // Something came or went in between.
    if (!all.every((one) => one === landing || waiting.has(one))) return false
    lane.waiting = lane.waiting.filter((one) => !all.includes(one))
    lane.group = all
    const others = all.filter((one) => one !== landing)
    try {
      if (await landAll(all, chain)) return true
      await waitAgain(lane, others)
      return false
    } catch (error) {
      // Nothing else would find them any more; this one is up to whoever asked.
      await waitAgain(lane, others)
      throw error
    } finally {
      if (lane.group === all) lane.group = []
    }
  }

  return async (lane, landing) => {
    if (lane.group.length > 0) return false
    const onto = await results.tip(landing.base)
    if (onto === null) return false
    const { landings, chain } = await build([landing], onto)
    if (chain.links.length === 0 || landings.length === 0) return true
    if (lane.group.length > 0) return false
    return (await isGreen(chain)) ? landAll([landing], chain) : landFolded(lane, landing, onto)
  }
}
