import type { CheckTogether, Places } from './red-set.ts'
import { firstRed } from './search.ts'

/** Of more than so many nobody learns whom to talk to; mostly it is the machine then. */
const MOST = 5

/**
 * A smallest set of places that makes a row red which is red as a whole, however many it takes:
 * without any one of them it is green. The shortest beginning that is red ends with one of them;
 * then the shortest that is red together with that one ends with the next, until those alone are
 * red. Each takes about log2 of the row's length in checks, and one. `unexplained`: more than
 * `MOST`, or the checks do not agree. Undefined: a check could not be had.
 */
export async function smallestRedSet({
  row,
  probes,
  check,
}: {
  /** Ascending; red together, and green where there are none of them. */
  readonly row: Places
  readonly probes: number
  readonly check: CheckTogether
}): Promise<Places | 'unexplained' | undefined> {
  let chosen: Places = []
  let limit = row.length
  while (limit > 0 && chosen.length < MOST) {
    const found = await firstRed({
      green: 0,
      red: limit,
      probes: () => probes,
      // What was chosen stands behind all that is still looked at.
      probe: (index) => check([...row.slice(0, index), ...chosen]),
    })
    if (found === undefined) return undefined
    limit = found.red - 1
    chosen = [row[limit]!, ...chosen]
    const alone = await check(chosen)
    if (alone === undefined) return undefined
    if (alone === 'red') return chosen
  }
  return 'unexplained'
}

export type RedSets = {
  /** Each is red by itself. */
  readonly sets: readonly Places[]
  /** Whether the row is green without the last one of each. */
  readonly isGreen: boolean
}

/**
 * Such sets one after the other, each without the last places of those before it, until what is
 * left is green; or, as long as `mayGoOn` holds, some of them. Those that share places are found
 * each. `unexplained`: none.
 */
export async function smallestRedSets({
  count,
  probes,
  check,
  mayGoOn,
}: {
  readonly count: number
  readonly probes: number
  readonly check: CheckTogether
  readonly mayGoOn: () => boolean
}): Promise<RedSets | 'unexplained' | undefined> {
  const sets: Places[] = []
  let row: Places = Array.from({ length: count }, (_, place) => place)
  do {
    const found = await smallestRedSet({ row, probes, check })
    if (found === undefined) return undefined
    if (found === 'unexplained') break
    sets.push(found)
    const last = found.at(-1)
    row = row.filter((place) => place !== last)
    const left = row.length === 0 ? 'green' : await check(row)
    if (left === undefined) return undefined
    if (left === 'green') return { sets, isGreen: true }
  } while (mayGoOn())
  return sets.length === 0 ? 'unexplained' : { sets, isGreen: false }
}
