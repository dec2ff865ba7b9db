import type { PullRequestSnapshot } from '../../adapters/forge/forge.ts'
import type { MergeResult } from '../../adapters/forge/merging.ts'
import type { SnapshotStore } from '../../adapters/store/store.ts'
import type { Sha } from '../../domain/ids.ts'

const keyOf = (branch: string): string => `behind:${branch}`

/**
 * A forge that merges a branch only once it is up to date with its base says so when it is asked to
 * merge.
 */
export const saysBehind = (result: MergeResult): boolean =>
  result.kind === 'refused' && /out[- ]of[- ]date|up[- ]to[- ]date|\bbehind\b/i.test(result.reason)

/**
 * That head was refused for it: the next stop check rebases it, also where it would otherwise leave
 * what is filed as it is.
 */
export const noteBehind = (
  snapshots: Pick<SnapshotStore, 'put'>,
  branch: string,
  head: Sha,
): Promise<void> => snapshots.put(keyOf(branch), { head })

export const isBehind = async (
  snapshots: Pick<SnapshotStore, 'get'>,
  branch: string,
  head: Sha,
): Promise<boolean> => (await snapshots.get(keyOf(branch)))?.['head'] === head

/** It has to be brought up to date with its base before the forge merges it. */
export const isBehindBase = ({ blockers = [] }: PullRequestSnapshot): boolean =>
  blockers.some(({ kind }) => kind === 'behind')
