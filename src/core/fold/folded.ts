import type { Deps } from '../deps.ts'
import { partnersOf, readFold, type FoldRecord } from './ahead/fold-record.ts'
import type { Landing } from './landing.ts'

/** What the fold has found out of a base, as far as the landings on it go by that. */
export interface Folded {
  /** Links of its chain, where that is green as a whole. */
  readonly green: ReadonlySet<number>
  /**
   * `later`: those that were found red together with others of them, which land first. One whose
   * others have `landed` would make any group red, for a reason that is known: it has its turn by
   * itself, after those that were asked for before it.
   */
  split(landings: readonly Landing[], landed?: ReadonlySet<number>): Split
  /** With which of those that are not among them any of them was found to be red. */
  partnersBeside(landings: readonly Landing[]): number[]
  /** With which one it was found to be red, where that is one. */
  partnerOf(landing: Landing): number | undefined
}

interface Split {
  readonly now: readonly Landing[]
  readonly later: readonly Landing[]
}

export const readFolded = async (
  { store, clock }: Pick<Deps, 'store' | 'clock'>,
  base: Landing['base'],
): Promise<Folded> => foldedIn(await readFold(store.snapshots, base, clock()))

/** Those of a group that land as one, and those whose turn comes after them. */
export async function splitFolded(
  { forge, ...deps }: Pick<Deps, 'store' | 'clock' | 'forge'>,
  base: Landing['base'],
  landings: readonly Landing[],
): Promise<Split> {
  const folded = await readFolded(deps, base)
  return folded.split(landings, await mergedAmong(forge, folded.partnersBeside(landings)))
}

/** Which of these pull requests are merged. */
export const mergedAmong = async (
  forge: Pick<Deps['forge'], 'snapshots'>,
  numbers: readonly number[],
): Promise<ReadonlySet<number>> =>
  new Set(
    (numbers.length === 0 ? [] : await forge.snapshots(numbers)).flatMap((one) =>
      'snapshot' in one && one.snapshot.state === 'merged' ? [one.snapshot.number] : [],
    ),
  )

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
    split: (landings, landed = new Set()) => {
      const redAmong = ({ number }: Landing, numbers: ReadonlySet<number>): boolean => {
        const found = partners.get(number) ?? []
        return found.length > 0 && found.every((partner) => numbers.has(partner))
      }
      const [first, ...others] = landings
      if (first !== undefined && redAmong(first, landed)) return { now: [first], later: others }
      const all = new Set([...landed, ...landings.map(({ number }) => number)])
      const later = landings.filter((landing) => redAmong(landing, all))
      return later.length === landings.length
        ? { now: landings, later: [] }
        : { now: landings.filter((one) => !later.includes(one)), later }
    },
    partnersBeside: (landings) => {
      const numbers = new Set(landings.map(({ number }) => number))
      const found = landings.flatMap(({ number }) => partners.get(number) ?? [])
      return [...new Set(found.filter((partner) => !numbers.has(partner)))]
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
