import type { MergeChain, MergeLink, MergeResults } from '../../../adapters/forge/merge-results.ts'
import type { Sha } from '../../../domain/ids.ts'
import type { Candidate } from './candidates.ts'
import { findGuilty, takenOut, type KnownPart } from './find-guilty.ts'
import type { CheckTogether, Places } from '../red-set.ts'
import { smallestRedSets, type RedSets } from '../smallest-set.ts'

/** Runs the check of a link, in a place that it waits for; undefined: none can be had. */
export type CheckLink = (
  link: MergeLink,
  numbers: readonly number[],
  options?: { readonly again?: boolean },
) => Promise<'green' | 'red' | undefined>

/** Candidates that are red together, each set by itself, with a red run that shows it. */
export interface GuiltySet {
  readonly candidates: readonly Candidate[]
  readonly out: Candidate
  readonly link: MergeLink
}

export type Explained =
  | {
      readonly kind: 'guilty'
      readonly sets: readonly GuiltySet[]
      /** All others, where they are green: there may be more to find out. */
      readonly rest: {
        readonly candidates: readonly Candidate[]
        readonly chain: MergeChain
      } | null
      /** A green run with each of these in it. */
      readonly green: ReadonlyMap<number, MergeLink>
    }
  /** Red, and green again. */
  | { readonly kind: 'flaky' }
  /** The base is red without any of them. */
  | { readonly kind: 'base_red' }
  /** Red twice, and no few of them make it so. */
  | { readonly kind: 'unexplained' }

/** After so many runs no further set is looked for at once: `2 + this · log2` of the candidates. */
const RUNS = 6

/**
 * Who makes a chain red: parts of it are checked until one, a pair, or two explain it and what is
 * left is green, which takes the fewest runs. Where that explains nothing, the whole is checked once
 * more: what is green then was a flake. Else the smallest sets are looked for, however many they
 * have and whether they share some. Undefined: it was cut off, or a part can't be merged without
 * the others.
 */
export async function explain(
  {
    results,
    checkLink,
    probes,
  }: {
    readonly results: Pick<MergeResults, 'build' | 'known' | 'treeOf'>
    readonly checkLink: CheckLink
    readonly probes: number
  },
  {
    onto,
    chain,
    candidates,
  }: {
    readonly onto: Sha
    readonly chain: MergeChain
    readonly candidates: readonly Candidate[]
  },
): Promise<Explained | undefined> {
  const runs: { readonly places: Places; readonly link: MergeLink; readonly isRed: boolean }[] = []
  const pick = (places: Places): Candidate[] => places.map((place) => candidates[place]!)
  /** As they would land: what is left over is to be that very commit. */
  const build = (places: Places): Promise<MergeChain> => results.build(onto, pick(places))
  const lastOf = (built: MergeChain): MergeLink | undefined =>
    built.conflicts.length > 0 ? undefined : built.links.at(-1)
  const whole = chain.links.at(-1)!
  const holds = (places: Places, part: Places): boolean =>
    part.every((place) => places.includes(place))
  const inferred = (places: Places): 'green' | 'red' | undefined =>
    runs.some((run) => run.isRed && holds(places, run.places))
      ? 'red'
      : runs.some((run) => !run.isRed && holds(run.places, places))
        ? 'green'
        : undefined

  const known: KnownPart[] = []
  for (const [place] of candidates.entries()) {
    const link = lastOf(await build([place]))
    const { state } =
      link === undefined ? { state: 'unknown' as const } : await results.known(link.tree)
    if (link === undefined || state === 'unknown') continue
    runs.push({ places: [place], link, isRed: state === 'failed' })
    known.push({ places: [place], isRed: state === 'failed' })
  }
  const check: CheckTogether = async (places) => {
    const link = lastOf(await build(places))
    if (link === undefined) return undefined
    const result = await checkLink(
      link,
      pick(places).map(({ number }) => number),
    )
    if (result !== undefined) runs.push({ places, link, isRed: result === 'red' })
    return result
  }
  const quick = await findGuilty({ count: candidates.length, probes, known, check })
  if (quick === undefined) return undefined
  let found: RedSets = { sets: [], isGreen: true }
  if (quick !== 'unexplained') found = { sets: quick, isGreen: true }
  else {
    const tree = await results.treeOf(onto)
    const isBase = { number: 0, head: onto, sha: onto, tree }
    const bare = await checkLink(isBase, [])
    if (bare === undefined) return undefined
    if (bare === 'red') return { kind: 'base_red' }
    const again = await checkLink(
      whole,
      candidates.map(({ number }) => number),
      { again: true },
    )
    if (again !== 'red') return again === undefined ? undefined : { kind: 'flaky' }
    const begun = runs.length
    const most = 2 + Math.ceil(RUNS * Math.log2(candidates.length))
    const sets = await smallestRedSets({
      count: candidates.length,
      probes,
      // What is part of a green one, or has a red one in it, is known.
      check: async (places) => inferred(places) ?? check(places),
      mayGoOn: () => runs.length - begun < most,
    })
    if (sets === undefined) return undefined
    if (sets === 'unexplained') return { kind: 'unexplained' }
    found = sets
  }
  // Two that are all there is are red in one run alone: that may have been a flake.
  if (quick !== 'unexplained' && quick.some((set) => set.length === candidates.length)) {
    const again = await checkLink(
      whole,
      candidates.map(({ number }) => number),
      { again: true },
    )
    if (again !== 'red') return again === undefined ? undefined : { kind: 'flaky' }
  }
  const out = new Set(takenOut(found.sets))
  const left = candidates.flatMap((_, place) => (out.has(place) ? [] : [place]))
  const green = new Map<number, MergeLink>()
  for (const { places, link, isRed } of runs)
    if (!isRed) for (const { number } of pick(places)) green.set(number, link)
  /** The smallest red run that holds them. */
  const shown = (set: Places): MergeLink =>
    runs
      .filter(({ places, isRed }) => isRed && set.every((place) => places.includes(place)))
      .toSorted((a, b) => a.places.length - b.places.length)[0]?.link ?? whole
  return {
    kind: 'guilty',
    sets: found.sets.map((set) => ({
      candidates: pick(set),
      out: candidates[Math.max(...set)]!,
      link: shown(set),
    })),
    rest: found.isGreen ? { candidates: pick(left), chain: await build(left) } : null,
    green,
  }
}
