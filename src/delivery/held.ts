import type { Store, StoreTransaction } from '../adapters/store/store.ts'
import { heldChildrenOf, holdNoMore } from '../core/spawn/held-children.ts'
import { unsettledOf } from '../core/spawn/settled-children.ts'
import type { AgentId, Recipient } from '../domain/ids.ts'
import type { Delivery, Reach, StoredEvent } from '../domain/records.ts'
import { definitionOf } from '../events/event.ts'

type Waiting = Pick<Delivery, 'kind' | 'eventSeq'>

/**
 * Of what waits for a lead, what may be handed over: not how the work of a child stands whose news
 * it wants together with that of others, some of which still go on. Once none does, all of it may
 * be, and what comes later is no longer held. None goes on for longer than its hold lasts
 * (core/maintenance/overdue-holds.ts).
 */
export async function released<One extends Waiting>(
  store: Store,
  lead: AgentId,
  waiting: readonly One[],
): Promise<One[]> {
  const children = new Set(await heldChildrenOf(store, lead))
  if (children.size === 0) return [...waiting]
  const isHeld = async ({ kind, eventSeq }: One): Promise<boolean> => {
    if (definitionOf(kind)?.standing !== true || eventSeq === null) return false
    const [event] = await store.events.list({ after: eventSeq - 1, limit: 1 })
    const child = event?.seq === eventSeq ? event.agentId : null
    return child !== null && children.has(child)
  }
  const held = await Promise.all(waiting.map(isHeld))
  if (!held.includes(true)) return [...waiting]
  const over = await store.transaction(async (tx) => {
    if ((await unsettledOf(tx, children)).length > 0) return false
    for (const child of children) await holdNoMore(tx, child)
    return true
  })
  return over ? [...waiting] : waiting.filter((_, index) => held[index] === false)
}

/**
 * One of whom its lead was notified at once that it does not go on by itself is not waited for: what
 * the others came to is no less news for it.
 */
export async function waitNoMore(
  tx: StoreTransaction,
  { type, agentId }: Pick<StoredEvent, 'type' | 'agentId'>,
  sent: readonly { readonly to: Recipient; readonly reach: Reach }[],
): Promise<void> {
  const { standing = false, personal = false } = definitionOf(type) ?? {}
  // Of one that waits for a person it is expected that it goes on.
  if (agentId === null || standing || personal || type === 'agent.waiting') return
  for (const { to, reach } of sent)
    if (to !== 'human' && reach === 'wake' && (await heldChildrenOf(tx, to)).includes(agentId))
      await holdNoMore(tx, agentId)
}
