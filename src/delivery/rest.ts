import type { StoreTransaction } from '../adapters/store/store.ts'
import { childrenOf, countsAsLive } from '../core/agents/tree.ts'
import { knownPulls, mergedBranches } from '../core/pulls/pull-records.ts'
import type { AgentId, Recipient } from '../domain/ids.ts'
import type { Reach, StoredEvent } from '../domain/records.ts'
import type { RoutingTree } from './router.ts'

/** What an agent that ended its turn waits for by itself, in words; undefined where nothing is known. */
async function waitsFor(tx: StoreTransaction, id: AgentId): Promise<string | undefined> {
  const [question] = await tx.questions.open(id)
  if (question !== undefined) return `an answer to ${question.id}`
  const merged = mergedBranches(await knownPulls(tx))
  const own = childrenOf(await tx.agents.list(), id).filter((child) => countsAsLive(child, merged))
  const names = own.map(({ name }) => name).join(', ')
  return own.length === 0 ? undefined : names
}

/** The key under which it stands that its parent was notified that an agent rests. */
const toldOf = (id: AgentId): string => `rest-told:${id}`

/** The tree with what keeps the rest of an agent from being news, where the event is that it rests. */
export async function asItRests(
  tx: StoreTransaction,
  { type, agentId }: Pick<StoredEvent, 'type' | 'agentId'>,
  tree: RoutingTree,
): Promise<RoutingTree> {
  const agent = type === 'agent.idle' && agentId !== null ? tree.get(agentId) : undefined
  if (agent === undefined) return tree
  const waits = await waitsFor(tx, agent.id)
  const restIsKnown = (await tx.snapshots.get(toldOf(agent.id))) !== undefined
  const now = { ...agent, restIsKnown, ...(waits !== undefined && { waitsFor: waits }) }
  return new Map([...tree, [agent.id, now]])
}

const SPEAKS: ReadonlySet<string> = new Set(['question.asked', 'note', 'agent.completed'])

/**
 * Remembers that a parent was notified of an agent’s rest, until the agent has been given more or
 * has said something: the rest after that is news again.
 */
export async function rememberRest(
  tx: StoreTransaction,
  { type, agentId, at }: Pick<StoredEvent, 'type' | 'agentId' | 'at'>,
  sent: readonly { readonly to: Recipient; readonly reach: Reach }[],
): Promise<void> {
  for (const { to, reach } of sent)
    if (to !== 'human' && reach === 'wake') await tx.snapshots.remove(toldOf(to))
  if (agentId === null) return
  if (SPEAKS.has(type)) await tx.snapshots.remove(toldOf(agentId))
  if (type === 'agent.idle' && sent.some(({ reach }) => reach !== 'log'))
    await tx.snapshots.put(toldOf(agentId), { at })
}
