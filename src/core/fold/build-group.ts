import type { MergeChain, MergeResults } from '../../adapters/forge/merge-results.ts'
import type { Sha } from '../../domain/ids.ts'
import type { Deps } from '../deps.ts'
import type { Landing } from './landing.ts'
import type { GiveUp } from './give-up.ts'

/** Landings in one chain of merges, and those that wait for what becomes of it. */
interface Built {
  readonly landings: Landing[]
  readonly chain: MergeChain
  readonly later: Landing[]
}

/** Builds what may land as one. */
export function createBuildGroup({
  results,
  polling,
  giveUp,
}: Pick<Deps, 'polling'> & {
  results: Pick<MergeResults, 'build'>
  giveUp: GiveUp['giveUp']
}) {
  /**
   * The chain of all that can land together. What conflicts with the base itself is reported by the
   * look that follows, and given up; what conflicts only with others of the chain waits for what
   * becomes of those: they may turn out red.
   */
  return async (landings: readonly Landing[], onto: Sha): Promise<Built> => {
    const mergeOf = ({ number, head, intent }: Landing) => ({
      number,
      head,
      strategy: intent.strategy,
    })
    const chain = await results.build(onto, landings.map(mergeOf))
    const conflicting = new Set(chain.conflicts.map(({ number }) => number))
    const later: Landing[] = []
    const given: number[] = []
    for (const landing of landings.filter(({ number }) => conflicting.has(number))) {
      const [conflict] =
        landings.length === 1
          ? chain.conflicts
          : (await results.build(onto, [mergeOf(landing)])).conflicts
      if (conflict === undefined) {
        later.push(landing)
        continue
      }
      await giveUp(landing, {
        reason: `it conflicts with ${landing.base} in ${conflict.files.join(', ') || 'some files'}`,
        reported: true,
      })
      given.push(landing.number)
    }
    if (given.length > 0) await polling.poll(given)
    return { landings: landings.filter(({ number }) => !conflicting.has(number)), chain, later }
  }
}
