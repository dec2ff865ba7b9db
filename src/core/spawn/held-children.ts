import type { StoreVerbs } from '../../adapters/store/store.ts'
import type { AgentId } from '../../domain/ids.ts'

/**
 * Children whose lead asked to be notified of all of them at once (`wake: "all_settled"`). Written
 * with the row of each and taken away when the lead was notified, so that a crash loses nothing:
 * what they are waited for is derived from what is stored of them (settled-children.ts).
 */

/** When a spawn’s parent is woken by news of its children. */
export type WakeFor = 'each' | 'all_settled'

type Verbs = Pick<StoreVerbs, 'snapshots'>

const PREFIX = 'held:'

export const holdNewsOf = (tx: Verbs, child: AgentId, lead: AgentId): Promise<void> =>
  tx.snapshots.put(`${PREFIX}${child}`, { lead })

export const holdNoMore = (tx: Verbs, child: AgentId): Promise<void> =>
  tx.snapshots.remove(`${PREFIX}${child}`)

/** Whose news waits for the others’, by who wants it so. */
export async function allHeld({ snapshots }: Verbs): Promise<Map<AgentId, AgentId[]>> {
  const all = await snapshots.list(PREFIX)
  const byLead = new Map<AgentId, AgentId[]>()
  for (const [key, held] of all) {
    const lead = held['lead'] as AgentId
    byLead.set(lead, [...(byLead.get(lead) ?? []), key.slice(PREFIX.length) as AgentId])
  }
  return byLead
}

/** Those of one lead. */
export const heldChildrenOf = async (verbs: Verbs, lead: AgentId): Promise<AgentId[]> =>
  (await allHeld(verbs)).get(lead) ?? []
