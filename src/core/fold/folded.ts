import type { Deps } from '../deps.ts'
import { readFold, type FoldRecord } from './ahead/fold-record.ts'
import type { Landing } from './landing.ts'

/** What the fold has found out of a base, as far as the landings on it go by that. */
export interface Folded {
  /** Links of its chain, where that is green as a whole. */
  readonly green: ReadonlySet<number>
  /** `later`: those that were found red together with another one of them, which lands first. */
  split(landings: readonly Landing[]): { now: readonly Landing[]; later: readonly Landing[] }
  /** With which one it was found to be red. */
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
    ejected.flatMap(({ number, partner }) =>
      partner === null ? [] : [[number, partner.number] as const],
    ),
  )
  return {
    green: new Set(
      state === 'green' ? links.filter(({ sha }) => sha !== null).map(({ number }) => number) : [],
    ),
    split: (landings) => {
      const numbers = new Set<number | undefined>(landings.map(({ number }) => number))
      const later = landings.filter(({ number }) => numbers.has(partners.get(number)))
      return later.length === landings.length
        ? { now: landings, later: [] }
        : { now: landings.filter((one) => !later.includes(one)), later }
    },
    partnerOf: ({ number }) => partners.get(number),
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
