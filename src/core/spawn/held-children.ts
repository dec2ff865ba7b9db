import type { StoreVerbs } from '../../adapters/store/store.ts'
import type { AgentId } from '../../domain/ids.ts'

/**
 * Children whose lead asked to be notified of all of them at once (`wake: "all_settled"`). Written
 * with the row of each and taken away when the lead was notified, so that a crash loses nothing:
 * what they are waited for is derived from what is stored of them (delivery/held.ts).
 */

/** When a spawn’s parent is woken by news of its children. */
export type WakeFor = 'each' | 'all_settled'

type Verbs = Pick<StoreVerbs, 'snapshots'>

const PREFIX = 'held:'

export const holdNewsOf = (tx: Verbs, child: AgentId, lead: AgentId): Promise<void> =>
  tx.snapshots.put(`${PREFIX}${child}`, { lead })

export const holdNoMore = (tx: Verbs, child: AgentId): Promise<void> =>
  tx.snapshots.remove(`${PREFIX}${child}`)

/** Whose news waits for the others’. */
export async function heldChildrenOf(verbs: Verbs, lead: AgentId): Promise<AgentId[]> {
  const all = await verbs.snapshots.list(PREFIX)
  return [...all].flatMap(([key, held]) =>
    held['lead'] === lead ? [key.slice(PREFIX.length) as AgentId] : [],
  )
}
