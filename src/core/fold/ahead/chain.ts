import type { MergeChain, MergeResults } from '../../../adapters/forge/merge-results.ts'
import type { BranchName, Sha } from '../../../domain/ids.ts'
import type { Deps } from '../../deps.ts'
import { rebasedHeads } from '../../../domain/rebased-heads.ts'
import type { PullRequestSnapshot } from '../../../adapters/forge/forge.ts'
import { foldable, isOut, type Candidate } from './candidates.ts'
import { mergedAmong } from '../folded.ts'
import type { LandsHere } from '../lands-here.ts'
import { partnersOf, readFold, type Ejected, type FoldRecord } from './fold-record.ts'

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
  deps: Pick<Deps, 'store' | 'forge' | 'settings' | 'clock'> & {
    landsHere: LandsHere
    results: Pick<MergeResults, 'tip' | 'build' | 'waiting'>
  },
  base: BranchName,
): Promise<Collected | null> {
  const { store, results, clock } = deps
  const onto = await results.tip(base)
  if (onto === null) return null
  const record = await readFold(store.snapshots, base, clock())
  const { pulls, candidates: all } = await foldable(deps, base)
  const ejected = await stillOut(deps, record.ejected, pulls)
  const heads = new Map([
    ...(await landedPartners(deps, ejected, pulls)),
    ...pulls.map(({ number, head }) => [number, head.sha] as const),
  ])
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

/**
 * With new commits it has another chance. What exomonad itself has rebased is the same work, of it
 * and of the one that it is red with.
 */
async function stillOut(
  { store }: Pick<Deps, 'store'>,
  ejected: readonly Ejected[],
  pulls: readonly PullRequestSnapshot[],
): Promise<Ejected[]> {
  const now = async (number: number, head: Sha): Promise<Sha> => {
    const pull = pulls.find((one) => one.number === number)
    if (pull === undefined || pull.head.sha === head) return head
    const { same } = await rebasedHeads(store.snapshots, pull.head.branch)
    return same(head, pull.head.sha) ? pull.head.sha : head
  }
  const found = await Promise.all(
    ejected.map(async (one) => {
      const [partner = null, ...others] = await Promise.all(
        partnersOf(one).map(async (each) => ({ ...each, head: await now(each.number, each.head) })),
      )
      return { ...one, head: await now(one.number, one.head), partner, others }
    }),
  )
  const heads = new Map(pulls.map(({ number, head }) => [number, head.sha]))
  return found.filter((one) => heads.get(one.number) === one.head)
}

/** With which one is red that has landed, and so is in the base by now. */
async function landedPartners(
  { forge }: Pick<Deps, 'forge'>,
  ejected: readonly Ejected[],
  pulls: readonly PullRequestSnapshot[],
): Promise<(readonly [number, Sha])[]> {
  const open = new Set(pulls.map(({ number }) => number))
  const gone = ejected.flatMap(partnersOf).filter(({ number }) => !open.has(number))
  const merged = await mergedAmong(
    forge,
    gone.map(({ number }) => number),
  )
  return gone
    .filter(({ number }) => merged.has(number))
    .map(({ number, head }) => [number, head] as const)
}

/** Of all that is open, one for each. */
export async function openBases({ forge }: Pick<Deps, 'forge'>): Promise<BranchName[]> {
  const found = await forge.snapshots(await forge.find({ state: 'open' }))
  return found.flatMap((one) => ('snapshot' in one ? [one.snapshot.base.branch] : []))
}
