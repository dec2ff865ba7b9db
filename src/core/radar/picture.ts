import type { NoSnapshot, WorktreeSnapshot } from '../../adapters/git/radar/radar-git.ts'
import type { AgentId } from '../../domain/ids.ts'
import type { Verdict } from './judge.ts'
import type { Pair } from './pairs.ts'

/** What is known by the last look. */
export interface RadarPicture {
  readonly pairs: readonly Pair[]
  readonly verdicts: ReadonlyMap<string, Verdict>
  readonly snapshots: ReadonlyMap<AgentId, WorktreeSnapshot | NoSnapshot>
  /** When it was begun; null before the first. Milliseconds since the epoch. */
  readonly at: number | null
  readonly enabled: boolean
}

export const NO_PICTURE: RadarPicture = {
  ...{ pairs: [], verdicts: new Map(), snapshots: new Map(), at: null, enabled: true },
}
