import type { StoreVerbs } from '../../../adapters/store/store.ts'
import type { BranchName, Sha } from '../../../domain/ids.ts'

/** What the fold remembers across restarts, besides what was checked: that is known by its tree. */

export type FoldState =
  /** Less than two to fold. */
  | 'idle'
  /** Its last link is to be checked when there is a place. */
  | 'waiting'
  | 'testing'
  /** It was red: who makes it so is being looked for. */
  | 'searching'
  | 'green'
  /** It is red, and no few of them explain it. */
  | 'red'

export type LinkState = 'green' | 'untested' | 'testing' | 'red' | 'conflict'

export interface FoldLink {
  /** Negative: not filed yet. */
  readonly number: number
  readonly title: string
  readonly branch: string
  readonly head: Sha
  /** The commit that would land, and its files; null where it conflicts with one before it. */
  readonly sha: Sha | null
  readonly tree: Sha | null
  readonly state: LinkState
  /** It became a part of the chain (ms since the epoch). */
  readonly since: number
}

/** One of those that another one is red together with. */
export interface Partner {
  readonly number: number
  readonly title: string
  readonly head: Sha
}

/** Taken out of the chain for what it is red with. */
export interface Ejected {
  readonly number: number
  readonly title: string
  readonly head: Sha
  /** Null: it is red by itself. */
  readonly partner: Partner | null
  /** Where it takes more than two, the others. Absent from what was stored before. */
  readonly others?: readonly Partner[]
  /** Files of a red run that shows it. */
  readonly tree: Sha
  readonly at: number
}

export interface FoldRecord extends Record<string, unknown> {
  readonly base: BranchName
  readonly onto: Sha | null
  readonly state: FoldState
  /** Since when (ms since the epoch). */
  readonly since: number
  readonly links: readonly FoldLink[]
  readonly ejected: readonly Ejected[]
  /** Trees that were red, and then green, with nothing changed. */
  readonly flaky: readonly Sha[]
  /** Trees that are red twice, and unexplained. */
  readonly unexplained: readonly Sha[]
}

/** All that it is red together with; none where it is red by itself. */
export const partnersOf = ({
  partner,
  others = [],
}: Pick<Ejected, 'partner' | 'others'>): Partner[] => (partner === null ? [] : [partner, ...others])

type Snapshots = Pick<StoreVerbs['snapshots'], 'get' | 'put' | 'remove' | 'list'>

const PREFIX = 'fold:'
const PAUSED = 'fold-paused'
/** So many flaky and unexplained trees are remembered. */
export const TREES_KEPT = 50

export const emptyRecord = (base: BranchName, now: number): FoldRecord => ({
  base,
  onto: null,
  state: 'idle',
  since: now,
  links: [],
  ejected: [],
  flaky: [],
  unexplained: [],
})

export const readFold = async (
  snapshots: Snapshots,
  base: BranchName,
  now: number,
): Promise<FoldRecord> =>
  ((await snapshots.get(`${PREFIX}${base}`)) as FoldRecord | undefined) ?? emptyRecord(base, now)

export const writeFold = (snapshots: Snapshots, record: FoldRecord): Promise<void> =>
  snapshots.put(`${PREFIX}${record.base}`, record)

export const listFolds = async (snapshots: Snapshots): Promise<FoldRecord[]> =>
  [...(await snapshots.list(PREFIX)).values()].map((record) => record as FoldRecord)

/** By whom and since when it is paused; null where it goes on. */
export const readPause = async (
  snapshots: Snapshots,
): Promise<{ readonly by: string; readonly at: number } | null> =>
  ((await snapshots.get(PAUSED)) as { by: string; at: number } | undefined) ?? null

export const writePause = (
  snapshots: Snapshots,
  pause: { readonly by: string; readonly at: number } | null,
): Promise<void> =>
  pause === null ? snapshots.remove(PAUSED) : snapshots.put(PAUSED, { ...pause })
