import type { MergeStrategy, MergeChain, MergeResults } from '../../adapters/forge/merge-results.ts'
import type { Sha } from '../../domain/ids.ts'
import type { CulpritSearch } from './culprit.ts'
import type { Landing } from './landing.ts'
import { findRedSet, type CheckTogether, type Places } from './red-set.ts'
import { smallestRedSet } from './smallest-set.ts'
import { firstRed } from './search.ts'
import type { Guilty } from './guilty.ts'

/** What came of a red group. */
export interface TakenApart {
  /** These wait again, in this order. */
  readonly wait: readonly Landing[]
  /** Was given up, and by what: reported once what can land has landed. */
  readonly guilty: readonly Guilty[]
}

/**
 * False: nothing landed, as the base moved, or one of them is not as it was checked; that one may
 * have been given up.
 */
export type LandAll = (landings: readonly Landing[], chain: MergeChain) => Promise<boolean>

/**
 * A group whose result is red, while each by itself is green. First the one or two that make it so
 * are looked for by checking subsets, then, where that explains nothing, the smallest set, however
 * many it takes; all others are checked together, and land. Else the first red prefix is looked
 * for: what stands before it lands.
 */
export function createTakeApart({
  results,
  culprit,
  landAll,
}: {
  readonly results: MergeResults
  readonly culprit: Pick<CulpritSearch, 'check'>
  readonly landAll: LandAll
}): (landings: readonly Landing[], chain: MergeChain) => Promise<TakenApart> {
  /**
   * These of a group together; undefined where it can’t be determined. A subset may conflict where
   * the whole did not. What is only looked at is merged in the quickest way: the files are the
   * same.
   */
  const together = async (
    onto: Sha,
    landings: readonly Landing[],
    strategy?: MergeStrategy,
  ): Promise<{ chain: MergeChain; result: 'green' | 'red' | undefined }> => {
    const merges = landings.map(({ number, head, intent }) => ({
      number,
      head,
      strategy: strategy ?? intent.strategy,
    }))
    const chain = await results.build(onto, merges)
    const last = chain.links.at(-1)
    const result =
      last === undefined || chain.conflicts.length > 0
        ? undefined
        : await culprit.check(last, 'result')
    return { chain, result }
  }

  const byPrefix = async (
    landings: readonly Landing[],
    chain: MergeChain,
    parallel: number,
  ): Promise<TakenApart> => {
    const found = await firstRed({
      green: 0,
      red: chain.links.length,
      probes: () => parallel,
      probe: (index) => culprit.check(chain.links[index - 1]!, 'result'),
    })
    const all: TakenApart = { wait: landings, guilty: [] }
    if (found === undefined) return all
    const good = landings.slice(0, found.green)
    if (
      good.length > 0 &&
      !(await landAll(good, { ...chain, links: chain.links.slice(0, found.green), conflicts: [] }))
    )
      return all
    const link = chain.links[found.green]!
    const onto = chain.links[found.green - 1]?.sha ?? chain.onto
    return {
      wait: landings.slice(found.green + 1),
      guilty: [{ landing: landings[found.green]!, link, onto, partners: [] }],
    }
  }

  /** One of the sets that make a row red, red by itself where it was found; else none. */
  const redPlaces = async (
    count: number,
    check: CheckTogether,
    probes: number,
  ): Promise<Places> => {
    const quick = await findRedSet({ count, probes, check })
    if (quick === undefined) return []
    if (quick !== 'unexplained' && (await check(quick)) === 'red') return quick
    const row = Array.from({ length: count }, (_, place) => place)
    const found = await smallestRedSet({ row, probes, check })
    return found === undefined || found === 'unexplained' ? [] : found
  }

  /**
   * One by one those are taken out that make it red, until what is left is green and lands.
   * Undefined where it is not explained by a few; where that is so of what is left, its first red
   * prefix is looked for. Who was taken out with one that did not land waits again: nothing
   * that landed speaks against it.
   */
  const bySet = async (
    landings: readonly Landing[],
    whole: MergeChain,
    parallel: number,
  ): Promise<TakenApart | undefined> => {
    const { onto } = whole
    const out: Guilty[] = []
    const withRest = (left: readonly Landing[], rest: TakenApart): TakenApart => {
      const open = new Set([...rest.wait, ...rest.guilty.map(({ landing }) => landing)])
      const stands = ({ partners }: Guilty): boolean =>
        partners.every((partner) => left.includes(partner) && !open.has(partner))
      return {
        wait: [...rest.wait, ...out.filter((one) => !stands(one)).map(({ landing }) => landing)],
        guilty: [...rest.guilty, ...out.filter(stands)],
      }
    }
    for (let [left, chain] = [landings, whole]; ;) {
      const pick = (places: readonly number[]): Landing[] => places.map((place) => left[place]!)
      const places = await redPlaces(
        left.length,
        async (places) => (await together(onto, pick(places), 'merge')).result,
        parallel,
      )
      const landing = left[places.at(-1) ?? -1]
      const others = left.filter((other) => other !== landing)
      const [alone, rest] = await Promise.all([
        landing === undefined ? undefined : together(onto, pick(places)),
        landing === undefined || others.length === 0 ? undefined : together(onto, others),
      ])
      const link = alone?.chain.links.at(-1)
      if (landing === undefined || alone?.result !== 'red' || link === undefined) {
        return out.length === 0 ? undefined : withRest(left, await byPrefix(left, chain, parallel))
      }
      out.push({
        landing,
        link,
        onto: alone.chain.links.at(-2)?.sha ?? onto,
        partners: pick(places.slice(0, -1)),
      })
      if (rest === undefined) return withRest([], { wait: [], guilty: [] })
      // That can’t be determined: something has to come of a round, or the next is the same.
      if (rest.result === undefined) return { wait: others, guilty: out }
      if (rest.result === 'green')
        return withRest(others, {
          wait: (await landAll(others, rest.chain)) ? [] : others,
          guilty: [],
        })
      left = others
      chain = rest.chain
    }
  }

  return async (landings, chain) => {
    const [only] = chain.links
    if (landings.length === 1 && only !== undefined)
      return {
        wait: [],
        guilty: [{ landing: landings[0]!, link: only, onto: chain.onto, partners: [] }],
      }
    // On a base that is red all are: nothing is found out by looking at each.
    const base = await culprit.check(
      { sha: chain.onto, tree: await results.treeOf(chain.onto) },
      'base',
    )
    if (base === undefined) return { wait: landings, guilty: [] }
    if (base === 'red') {
      return {
        wait: [],
        guilty: landings.map((landing, index) => ({
          landing,
          link: chain.links[index]!,
          onto: chain.onto,
          partners: [],
        })),
      }
    }
    const parallel = await results.parallel()
    return (await bySet(landings, chain, parallel)) ?? byPrefix(landings, chain, parallel)
  }
}
