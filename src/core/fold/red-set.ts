/** Places in a row, ascending. */
export type Places = readonly number[]
/** Checks these of a row together. `undefined`: it could not be found out. */
export type CheckTogether = (places: Places) => Promise<'green' | 'red' | undefined>

/**
 * So many subsets are tried before one is taken: enough for an even split of some hundred
 * candidates.
 */
const TRIES = 200
/** Of longer rows there are too many pairs to weigh. */
const LONGEST = 150

const isWithin = (candidate: Places, subset: ReadonlySet<number>): boolean =>
  candidate.every((place) => subset.has(place))

/** Numbers from 0 to 1, the same at each call: a search can be repeated. */
function createRandom(): () => number {
  let state = 0x2545f491
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
}

/**
 * What is left to find out where one of these classes is the answer, in bits: of each, as often as
 * it is that one. The sum of the sizes is given.
 */
function bitsLeft(sizes: Iterable<number>): number {
  let bits = 0
  for (const size of sizes) bits += size * Math.log2(size)
  return bits
}

/**
 * Subsets whose results, taken together, leave as few candidates as possible, whatever they are.
 */
export function chooseSubsets(
  within: Places,
  candidates: readonly Places[],
  count: number,
  random: () => number,
): Places[] {
  const chosen: Places[] = []
  // Which of the subsets that were chosen hold it, one bit for each.
  let classes: number[] = candidates.map(() => 0)
  for (let index = 0; index < count; index++) {
    let best:
      | { readonly bits: number; readonly places: Places; readonly classes: number[] }
      | undefined
    for (let tries = 0; tries < TRIES; tries++) {
      const share = 0.4 + random() * 0.5
      const places = within.filter(() => random() < share)
      if (places.length === 0 || places.length === within.length) continue
      const subset = new Set(places)
      const split = candidates.map(
        (candidate, at) => (classes[at]! << 1) | Number(isWithin(candidate, subset)),
      )
      const sizes = new Map<number, number>()
      for (const one of split) sizes.set(one, (sizes.get(one) ?? 0) + 1)
      const bits = bitsLeft(sizes.values())
      if (best === undefined || bits < best.bits) best = { bits, places, classes: split }
    }
    if (best === undefined) break
    chosen.push(best.places)
    classes = best.classes
  }
  return chosen
}

/**
 * The one place, or the two, that make a row red which is red as a whole: found by checking
 * subsets, so many at the same time, each round leaving about 1 in 2^probes of the candidates.
 * `unexplained`: it takes more than two, or the checks do not agree; undefined where a check could
 * not be had. What is found follows by elimination: it is to be checked by itself.
 */
export async function findRedSet(options: {
  readonly count: number
  readonly probes: number
  readonly check: CheckTogether
}): Promise<Places | 'unexplained' | undefined> {
  const { count, probes, check } = options
  if (count > LONGEST) return 'unexplained'
  const random = createRandom()
  let within: Places = Array.from({ length: count }, (_, place) => place)
  let candidates: Places[] = within.flatMap((one) => [
    [one],
    ...Array.from({ length: count - one - 1 }, (_, more) => [one, one + more + 1]),
  ])
  while (candidates.length > 1) {
    const subsets = chooseSubsets(within, candidates, Math.max(probes, 1), random)
    const results = await Promise.all(
      subsets.map(async (places) => ({ places, result: await check(places) })),
    )
    if (results.some(({ result }) => result === undefined)) return undefined
    const before = candidates.length
    for (const { places } of results.filter(({ result }) => result === 'green')) {
      const subset = new Set(places)
      candidates = candidates.filter((candidate) => !isWithin(candidate, subset))
    }
    // Stryker disable next-line MethodExpression,ConditionalExpression: of what lies within green
    // ones nothing is left, so that they change nothing here
    for (const { places } of results.filter(({ result }) => result === 'red')) {
      const subset = new Set(places)
      const left = candidates.filter((candidate) => isWithin(candidate, subset))
      // There may be several reasons: one of them is enough.
      if (left.length > 0)
        [candidates, within] = [left, within.filter((place) => subset.has(place))]
    }
    if (candidates.length === before) return 'unexplained'
  }
  return candidates[0] ?? 'unexplained'
}
