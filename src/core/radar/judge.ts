import type { MergeBases, NoSnapshot, TouchedPath } from '../../adapters/git/radar/radar-git.ts'
import type { Sha } from '../../domain/ids.ts'
import type { Deps } from '../deps.ts'
import { otherNameOf, type Pair } from './pairs.ts'
import { areTouching, touchedOf, type Touched } from './touching.ts'

/** A commit to be merged. `head`: itself, or of a snapshot its parent, where its history begins. */
export interface Side {
  readonly commit: Sha
  readonly tree: Sha
  readonly head: Sha
}

export type Sides = (pair: Pair) => readonly [a: Side | NoSnapshot, b: Side | NoSnapshot]

/** How the work of two stands to each other. */
export interface Verdict {
  readonly status: 'clean' | 'conflict' | 'unknown'
  /** Sorted; of a conflict. */
  readonly files: readonly string[]
  /** Of what is unknown. */
  readonly why?: string
  readonly unreadable?: true
  /** What was judged. */
  readonly a?: Sha
  readonly b?: Sha
}

const isKnown = (side: Side | NoSnapshot): side is Side => 'commit' in side

export const sideOf = (found: Side | NoSnapshot | undefined): Side | NoSnapshot =>
  found ?? { kind: 'unknown', why: 'it was not looked at yet' }

export interface Judge {
  /** Of pairs that are judged already with the same commits nothing is asked. */
  judge(
    pairs: readonly Pair[],
    sides: Sides,
    before: ReadonlyMap<string, Verdict>,
  ): Promise<Map<string, Verdict>>
  /** What a side touched since it parted from another one; undefined where that can’t be told. */
  touchedSince(mergeBase: Sha | undefined, side: Side): readonly TouchedPath[] | undefined
  mergeBases(): MergeBases
}

/** Merges as few pairs as it can, all of them in one process. */
export function createJudge({ git }: Pick<Deps, 'git'>): Judge {
  let bases: { readonly of: string; readonly find: MergeBases } = { of: '', find: () => undefined }
  /** By tree of the merge base and tree. */
  let touched = new Map<string, readonly TouchedPath[]>()
  const compared = new WeakMap<readonly TouchedPath[], Touched>()
  let trees = new Map<Sha, Sha>()

  const keyOf = (mergeBase: Sha, side: Side): string => `${trees.get(mergeBase)}:${side.tree}`
  const touchedSince: Judge['touchedSince'] = (mergeBase, side) =>
    mergeBase === undefined ? undefined : touched.get(keyOf(mergeBase, side))
  const comparable = (paths: readonly TouchedPath[]): Touched => {
    const known = compared.get(paths) ?? touchedOf(paths)
    compared.set(paths, known)
    return known
  }

  /** History is read again only where a commit is new. */
  const readHistory = async (commits: readonly Sha[]): Promise<void> => {
    const of = [...new Set(commits)].toSorted().join(' ')
    if (of === bases.of) return
    bases = { of, find: await git.mergeBasesAmong(commits) }
  }

  /** Of all these at once; what nobody needs any more is forgotten. */
  const readTouched = async (
    wanted: readonly (readonly [mergeBase: Sha, side: Side])[],
  ): Promise<void> => {
    const unknown = wanted.map(([mergeBase]) => mergeBase).filter((one) => !trees.has(one))
    const read = await git.treesOf(unknown)
    trees = new Map(
      wanted.map(([mergeBase]) => [mergeBase, trees.get(mergeBase) ?? read.get(mergeBase)!]),
    )
    const keys = new Map(
      wanted.map(([mergeBase, side]) => [
        keyOf(mergeBase, side),
        [trees.get(mergeBase)!, side.tree] as const,
      ]),
    )
    const missing = [...keys].filter(([key]) => !touched.has(key))
    const found = await git.touchedPaths(missing.map(([, pair]) => pair))
    const fresh = new Map(missing.map(([key], index) => [key, found[index] ?? []]))
    touched = new Map(
      [...keys.keys()].map((key) => [key, touched.get(key) ?? fresh.get(key) ?? []]),
    )
  }

  return {
    touchedSince,
    mergeBases: () => bases.find,

    judge: async (pairs, sides, before) => {
      const verdicts = new Map<string, Verdict>()
      const known: { pair: Pair; a: Side; b: Side }[] = []
      for (const pair of pairs) {
        const [a, b] = sides(pair)
        if (isKnown(a) && isKnown(b)) known.push({ pair, a, b })
        else verdicts.set(pair.id, { status: 'unknown', files: [], why: whyUnknown(pair, a, b) })
      }
      await readHistory(known.flatMap(({ a, b }) => [a.head, b.head]))
      const based = known.map((one) => ({ ...one, at: bases.find(one.a.head, one.b.head) }))
      await readTouched(
        based.flatMap(({ a, b, at }) =>
          at === undefined ? [] : [[at, a] as const, [at, b] as const],
        ),
      )
      const toMerge: typeof based = []
      for (const one of based) {
        const { pair, a, b, at } = one
        const last = before.get(pair.id)
        const [ours, theirs] = [touchedSince(at, a), touchedSince(at, b)]
        const judged = { a: a.commit, b: b.commit }
        if (last?.a === a.commit && last.b === b.commit && last.status !== 'unknown')
          verdicts.set(pair.id, last)
        else if (
          ours !== undefined &&
          theirs !== undefined &&
          !areTouching(comparable(ours), comparable(theirs))
        )
          verdicts.set(pair.id, { status: 'clean', files: [], ...judged })
        else toMerge.push(one)
      }
      const merged = await git.foretellMerges(
        toMerge.map(({ a, b }) => [a.commit, b.commit] as const),
      )
      for (const [index, { pair, a, b }] of toMerge.entries()) {
        const result = merged[index]
        const judged = { a: a.commit, b: b.commit }
        if (result === undefined || result.kind === 'unknown')
          verdicts.set(pair.id, {
            ...{ status: 'unknown', files: [], why: result?.why ?? '', ...judged },
            ...(result?.unreadable === true ? { unreadable: true } : {}),
          })
        else if (result.kind === 'clean')
          verdicts.set(pair.id, { status: 'clean', files: [], ...judged })
        else
          verdicts.set(pair.id, {
            status: 'conflict',
            files: result.files.toSorted(),
            ...judged,
          })
      }
      return verdicts
    },
  }
}

const whyUnknown = (pair: Pair, a: Side | NoSnapshot, b: Side | NoSnapshot): string =>
  [
    ...(isKnown(a) ? [] : [`${pair.a.name}: ${a.why}`]),
    ...(isKnown(b) ? [] : [`${otherNameOf(pair)}: ${b.why}`]),
  ].join('; ')
