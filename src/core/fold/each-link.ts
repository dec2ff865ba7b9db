import type { CulpritSearch } from './culprit.ts'
import type { LandAll, TakenApart } from './take-apart.ts'
import type { createTakeApart } from './take-apart.ts'

/**
 * Of a group whose whole is green each commit in between, where each is to be green by itself: what
 * stands before the first red one lands, that one is given up. Null where all are green.
 */
export function createEachLink({
  culprit,
  landAll,
}: {
  readonly culprit: Pick<CulpritSearch, 'check'>
  readonly landAll: LandAll
}): (...group: Parameters<ReturnType<typeof createTakeApart>>) => Promise<TakenApart | null> {
  return async (landings, chain) => {
    const found = await Promise.all(chain.links.map((link) => culprit.check(link, 'result')))
    if (found.includes(undefined)) return { wait: landings, guilty: [] }
    const red = found.indexOf('red')
    if (red < 0) return null
    const good = landings.slice(0, red)
    const links = chain.links.slice(0, red)
    if (good.length > 0 && !(await landAll(good, { ...chain, links, conflicts: [] })))
      return { wait: landings, guilty: [] }
    return {
      wait: landings.slice(red + 1),
      guilty: [
        {
          landing: landings[red]!,
          link: chain.links[red]!,
          onto: links.at(-1)?.sha ?? chain.onto,
          partners: [],
        },
      ],
    }
  }
}
