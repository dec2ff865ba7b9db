import type { Deps } from '../deps.ts'
import { partnersOf, readFold, type FoldRecord } from './ahead/fold-record.ts'
import type { Landing } from './landing.ts'

/** What the fold has found out of a base, as far as the landings on it go by that. */
export interface Folded {
  /** Links of its chain, where that is green as a whole. */
  readonly green: ReadonlySet<number>
  /** `later`: those that were found red together with others of them, which land first. */
  split(landings: readonly Landing[]): { now: readonly Landing[]; later: readonly Landing[] }
  /** With which one it was found to be red, where that is one. */
  partnerOf(landing: Landing): number | undefined
}

export const readFolded = async (
  { store, clock }: Pick<Deps, 'store' | 'clock'>,
  base: Landing['base'],
): Promise<Folded> => foldedIn(await readFold(store.snapshots, base, clock()))

export function foldedIn({
  state,
  links,
  ejected,
}: Pick<FoldRecord, 'state' | 'links' | 'ejected'>): Folded {
  const partners = new Map(
    ejected.map((one) => [one.number, partnersOf(one).map(({ number }) => number)] as const),
  )
  return {
    green: new Set(
      state === 'green' ? links.filter(({ sha }) => sha !== null).map(({ number }) => number) : [],
    ),
    split: (landings) => {
      const numbers = new Set(landings.map(({ number }) => number))
      const later = landings.filter(({ number }) => {
        const found = partners.get(number) ?? []
        return found.length > 0 && found.every((partner) => numbers.has(partner))
      })
      return later.length === landings.length
        ? { now: landings, later: [] }
        : { now: landings.filter((one) => !later.includes(one)), later }
    },
    partnerOf: ({ number }) => {
      const found = partners.get(number) ?? []
      return found.length === 1 ? found[0] : undefined
    },
  }
}

/** Whether more of what was found green together are to be asked for, so that they land as one. */
export const isIncomplete = (
  green: ReadonlySet<number>,
  waiting: readonly Pick<Landing, 'number'>[],
): boolean => {
  const asked = new Set(waiting.map(({ number }) => number))
  return (
    waiting.some(({ number }) => green.has(number)) && [...green].some((one) => !asked.has(one))
  )
}
