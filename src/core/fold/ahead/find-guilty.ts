import type { CheckTogether, Places } from '../red-set.ts'

/** What makes a row red: each of these sets by itself; the row without all of them is green. */
export type GuiltySets = readonly Places[]

/** A run of a part of the row, and what came of it. */
export interface KnownPart {
  readonly places: Places
  readonly isRed: boolean
}

/** One explanation, and how likely it is before anything is tested. */
interface Hypothesis {
  readonly sets: GuiltySets
  readonly weight: number
}

/** How likely each kind of explanation is: one alone, a pair that is green apart, two alone. */
const PRIOR = { one: 0.25, pair: 0.4, two: 0.35 }
/** So many parts are tried before one is taken. */
const TRIES = 120
/** Of the likeliest explanations so many are tried for a proof. */
const LIKELIEST = 4
/** Longer rows have too many explanations to weigh. */
const LONGEST = 100
/** A pair is proven by so many red runs that nothing else explains: one alone may be a flake. */
const PROOF = 2

function hypothesesOf(count: number): Hypothesis[] {
  const places = Array.from({ length: count }, (_, place) => place)
  const pairs = places.flatMap((one) => places.slice(one + 1).map((two) => [one, two] as const))
  return [
    ...places.map((one) => ({ sets: [[one]], weight: PRIOR.one / count })),
    ...pairs.flatMap(([one, two]) => [
      { sets: [[one, two]], weight: PRIOR.pair / pairs.length },
      { sets: [[one], [two]], weight: PRIOR.two / pairs.length },
    ]),
  ]
}

const holds = (inside: Uint8Array, set: Places): boolean =>
  set.every((place) => inside[place] === 1)
const isRedUnder = ({ sets }: Pick<Hypothesis, 'sets'>, inside: Uint8Array): boolean =>
  sets.some((set) => holds(inside, set))

/** The one of a guilty set that is taken out: the last, so that the others go on. */
export const takenOut = (sets: GuiltySets): number[] => sets.map((set) => Math.max(...set))

/**
 * The smallest sets that make a row red which is red as a whole: one alone, a pair that is green
 * apart, or two alone. Parts are tested, so many at the same time, chosen by what they are likely
 * to tell; in the end what is left over is tested as well, so that it can land. `known`: runs of
 * before. `unexplained`: it takes more than that, or the runs do not agree (a flake). Undefined: a
 * run could not be had.
 */
export async function findGuilty(options: {
  readonly count: number
  readonly probes: number
  readonly known: readonly KnownPart[]
  readonly check: CheckTogether
}): Promise<GuiltySets | 'unexplained' | undefined> {
  const { count, check } = options
  if (count > LONGEST) return 'unexplained'
  const random = createRandom()
  const insideOf = (places: Places): Uint8Array => {
    const inside = new Uint8Array(count)
    for (const place of places) inside[place] = 1
    return inside
  }
  const all = Array.from({ length: count }, (_, place) => place)
  const tested = new Map<string, { readonly inside: Uint8Array; readonly isRed: boolean }>()
  const note = ({ places, isRed }: KnownPart): void =>
    void tested.set(places.join(), { inside: insideOf(places), isRed })
  note({ places: [], isRed: false })
  for (const part of options.known) note(part)
  note({ places: all, isRed: true })

  const without = (out: readonly number[]): Places => all.filter((place) => !out.includes(place))
  /** What is still to be tested before this explanation is proven. */
  const missing = ({ sets }: Hypothesis): Places[] => {
    const rest = without(takenOut(sets))
    const parts = tested.has(rest.join()) ? [] : [rest]
    for (const set of sets) {
      const others = sets.filter((other) => other !== set)
      const runs = [...tested.values()].filter(
        ({ inside, isRed }) => isRed && holds(inside, set) && !isRedUnder({ sets: others }, inside),
      )
      // All runs with it may be red for what else was in them: what is left over as the only
      // explanation is looked at by itself.
      const isProven = runs.length >= PROOF && live.length > 1
      if (!isProven && !tested.has(set.join())) parts.push(set)
    }
    return parts
  }

  let live = hypothesesOf(count)
  for (;;) {
    live = live.filter((one) =>
      [...tested.values()].every(({ inside, isRed }) => isRedUnder(one, inside) === isRed),
    )
    live = live.toSorted((a, b) => b.weight - a.weight)
    const [likeliest] = live
    if (likeliest === undefined) return 'unexplained'
    if (live.length === 1 && missing(likeliest).length === 0) return likeliest.sets
    const parts = choose(live, {
      count: Math.max(options.probes, 1),
      proofs: live.slice(0, LIKELIEST).flatMap((one) => {
        const parts = missing(one)
        return parts.map((places) => ({ places, worth: one.weight }))
      }),
      candidates: Array.from({ length: TRIES }, () => {
        const share = 0.3 + random() * 0.6
        return all.filter(() => random() < share)
      }).filter((places) => !tested.has(places.join())),
      insideOf,
    })
    if (parts.length === 0) return 'unexplained'
    const results = await Promise.all(
      parts.map(async (places) => ({ places, result: await check(places) })),
    )
    if (results.some(({ result }) => result === undefined)) return undefined
    for (const { places, result } of results) note({ places, isRed: result === 'red' })
  }
}

/**
 * The parts whose results leave the least to find out. One that would have to be tested in the end
 * anyway, where its explanation is the one, saves that run.
 */
function choose(
  live: readonly Hypothesis[],
  {
    count,
    proofs,
    candidates,
    insideOf,
  }: {
    readonly count: number
    readonly proofs: readonly { readonly places: Places; readonly worth: number }[]
    readonly candidates: readonly Places[]
    readonly insideOf: (places: Places) => Uint8Array
  },
): Places[] {
  const total = live.reduce((sum, { weight }) => sum + weight, 0)
  const worth = new Map<string, number>()
  for (const proof of proofs) {
    const key = proof.places.join()
    worth.set(key, (worth.get(key) ?? 0) + proof.worth / total)
  }
  const options = [...proofs.map(({ places }) => places), ...candidates]
  const chosen: Places[] = []
  // Which of the parts that were chosen would be red under it, one bit for each.
  let classes: number[] = live.map(() => 0)
  let before = bitsLeft(live, classes, total)
  while (chosen.length < count) {
    let best: { places: Places; gain: number; bits: number; classes: number[] } | undefined
    for (const places of options) {
      if (chosen.some((one) => one.join() === places.join())) continue
      const inside = insideOf(places)
      const split = live.map((one, at) => (classes[at]! << 1) | Number(isRedUnder(one, inside)))
      const bits = bitsLeft(live, split, total)
      const gain = before - bits + (worth.get(places.join()) ?? 0)
      if (best === undefined || gain > best.gain) best = { places, gain, bits, classes: split }
    }
    if (best === undefined || best.gain < 1e-9) break
    chosen.push(best.places)
    classes = best.classes
    before = best.bits
  }
  return chosen
}

/** What is left to find out once the class is known, in bits. */
function bitsLeft(live: readonly Hypothesis[], classes: readonly number[], total: number): number {
  const sums = new Map<number, number>()
  for (const [at, { weight }] of live.entries())
    sums.set(classes[at]!, (sums.get(classes[at]!) ?? 0) + weight)
  let bits = 0
  for (const { weight } of live) bits -= (weight / total) * Math.log2(weight / total)
  for (const sum of sums.values()) bits += (sum / total) * Math.log2(sum / total)
  return bits
}

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
