import type { MergeChain, MergeResults } from '../../../adapters/forge/merge-results.ts'
import type { BranchName } from '../../../domain/ids.ts'
import type { Deps } from '../../deps.ts'
import { foldable, isOut, type Candidate } from './candidates.ts'
import { readFold, type FoldRecord } from './fold-record.ts'

/** A base’s chain as it is now. */
export interface Collected {
  readonly record: FoldRecord
  /** Its links, in order. */
  readonly candidates: readonly Candidate[]
  readonly chain: MergeChain
  /** Those of them whose own checks wait for a place. */
  readonly waiting: readonly Candidate[]
  /** In the way of one before them. */
  readonly conflicting: readonly Candidate[]
}

/** Null where the base is not on the remote. */
export async function collectChain(
  deps: Pick<Deps, 'store' | 'forge' | 'clock'> & {
    results: Pick<MergeResults, 'tip' | 'build' | 'waiting'>
  },
  base: BranchName,
): Promise<Collected | null> {
  const { store, results, clock } = deps
  const onto = await results.tip(base)
  if (onto === null) return null
  const record = await readFold(store.snapshots, base, clock())
  const { pulls, candidates: all } = await foldable(deps, base)
  const heads = new Map(pulls.map(({ number, head }) => [number, head.sha]))
  // With new commits it has another chance.
  const ejected = record.ejected.filter((one) => heads.get(one.number) === one.head)
  const wanted = all.filter((one) => !isOut(ejected, one, heads))
  const chain = await results.build(onto, wanted)
  const conflicting = new Set(chain.conflicts.map(({ number }) => number))
  const waits = new Set(
    (await results.waiting(base)).map(({ number, head }) => `${number}:${head}`),
  )
  const candidates = wanted.filter(({ number }) => !conflicting.has(number))
  return {
    record: { ...record, onto, ejected },
    candidates,
    chain,
    waiting: candidates.filter(({ number, head }) => waits.has(`${number}:${head}`)),
    conflicting: wanted.filter(({ number }) => conflicting.has(number)),
  }
}

/** Of all that is open, one for each. */
export async function openBases({ forge }: Pick<Deps, 'forge'>): Promise<BranchName[]> {
  const found = await forge.snapshots(await forge.find({ state: 'open' }))
  return found.flatMap((one) => ('snapshot' in one ? [one.snapshot.base.branch] : []))
}
