import type { Store, StoreTransaction, StoreVerbs } from '../adapters/store/store.ts'
import type { PullRequestSnapshot } from '../adapters/forge/forge.ts'
import { mergedBranches, knownPulls } from '../core/pulls/pull-records.ts'
import { isBlocked, isReady } from '../core/pulls/readiness.ts'
import { heldChildrenOf, holdNoMore } from '../core/spawn/held-children.ts'
import { sharesBranch } from '../domain/agent-kinds.ts'
import type { AgentId, Recipient } from '../domain/ids.ts'
import { isAlive, isInCall } from '../domain/lifecycle.ts'
import type { Agent, Delivery, Reach, StoredEvent } from '../domain/records.ts'
import { definitionOf } from '../events/event.ts'
import { isRestKnown } from './rest.ts'

type Waiting = Pick<Delivery, 'kind' | 'eventSeq'>

/**
 * Of what waits for a lead, what may be handed over: not how the work of a child stands whose news
 * it wants together with that of others, some of which still go on. Once none does, all of it may
 * be, and what comes later is no longer held.
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
    if (!(await areSettled(tx, children))) return false
    for (const child of children) await holdNoMore(tx, child)
    return true
  })
  return over ? [...waiting] : waiting.filter((_, index) => held[index] === false)
}

async function areSettled(tx: StoreTransaction, ids: ReadonlySet<AgentId>): Promise<boolean> {
  const asking = new Set((await tx.questions.open()).map(({ agentId }) => agentId))
  const pulls = await knownPulls(tx)
  const merged = mergedBranches(pulls)
  for (const id of ids) {
    const child = await tx.agents.get(id)
    if (child === undefined || !isAlive(child.state) || asking.has(id)) continue
    if (child.state === 'waiting' && !isInCall(child)) continue
    if (!(await hasSettledWork(tx, child, pulls, merged))) return false
  }
  return true
}

/** Nothing is to be expected of it before somebody else has acted. */
async function hasSettledWork(
  tx: Pick<StoreVerbs, 'snapshots'>,
  child: Agent,
  pulls: readonly PullRequestSnapshot[],
  merged: ReadonlySet<string>,
): Promise<boolean> {
  const pull = sharesBranch(child)
    ? undefined
    : pulls.findLast(({ head, state }) => head.branch === child.branch && state === 'open')
  if (pull !== undefined && !pull.draft)
    return isReady(pull) || isBlocked(pull) || pull.scheduled !== undefined
  if (!sharesBranch(child) && merged.has(child.branch)) return true
  return child.state === 'idle' && (await isRestKnown(tx, child.id))
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
