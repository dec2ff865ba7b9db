import type { StoreVerbs } from '../../adapters/store/store.ts'
import type { Agent } from '../../domain/records.ts'
import type { Caller } from '../../domain/caller.ts'

/** Goes with a result that is answered from the records. */
export const CUT_OFF = 'It was spawned by the same call, which was cut off before it was answered.'

/**
 * Children of the caller that stand since a call was cut off: its doing, and not made again. What
 * was being made then was undone at the start.
 */
export async function childrenMadeSince(
  store: Pick<StoreVerbs, 'agents'>,
  caller: Caller,
  since: number | null | undefined,
): Promise<Agent[]> {
  if (since === null || since === undefined) return []
  return (await store.agents.list({ parentId: caller.agent.id })).filter(
    ({ spawnedAt }) => spawnedAt >= since,
  )
}
