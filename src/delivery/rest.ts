import type { PullRequestSnapshot } from '../adapters/forge/forge.ts'
import type { StoreTransaction, StoreVerbs } from '../adapters/store/store.ts'
import { childrenOf, countsAsLive } from '../core/agents/tree.ts'
import { filedBranches, mergedBranches } from '../core/pulls/pull-records.ts'
import { ownWaitsOf } from '../core/turns/own-waits.ts'
import { sharesBranch } from '../domain/agent-kinds.ts'
import type { AgentId, Recipient } from '../domain/ids.ts'
import type { Agent, Reach, StoredEvent } from '../domain/records.ts'
import type { Route, RoutingTree } from './router.ts'

/** The key under which it stands that its parent was notified that an agent rests. */
const toldOf = (id: AgentId): string => `rest-told:${id}`

/** Its parent was notified that it rests or what it came to, and gave it nothing since. */
export const isRestKnown = async (
  verbs: Pick<StoreVerbs, 'snapshots'>,
  id: AgentId,
): Promise<boolean> => (await verbs.snapshots.get(toldOf(id))) !== undefined

/** What one event is decided by. `pulls`: all that are known, read once. */
interface Reading {
  readonly tx: StoreTransaction
  readonly pulls: () => Promise<readonly PullRequestSnapshot[]>
}

/** One that rests as its parent knows does nothing by itself, and a server never ends. */
const mayGoOn = async (tx: StoreTransaction, child: Agent): Promise<boolean> =>
  child.kind !== 'process' && !(child.state === 'idle' && (await isRestKnown(tx, child.id)))

/**
 * What an agent that ended its turn waits for by itself, in words; undefined where nothing is known.
 * `but`: a child of which it is known already.
 */
async function waitsFor(
  { tx, pulls }: Reading,
  id: AgentId,
  but: AgentId | null = null,
): Promise<string | undefined> {
  const [question] = await tx.questions.open(id)
  if (question !== undefined) return `an answer to ${question.id}`
  const own = await ownWaitsOf(tx, id)
  if (own !== undefined) return own.waits.join(', ')
  const children = childrenOf(await tx.agents.list(), id)
  const merged = mergedBranches(children.length === 0 ? [] : await pulls())
  const names: string[] = []
  for (const child of children)
    if (child.id !== but && countsAsLive(child, merged) && (await mayGoOn(tx, child)))
      names.push(child.name)
  return names.length === 0 ? undefined : names.join(', ')
}

/** The tree with what keeps the rest of an agent from being news, where the event is that it rests. */
export async function asItRests(
  reading: Reading,
  { type, agentId }: Pick<StoredEvent, 'type' | 'agentId'>,
  tree: RoutingTree,
): Promise<RoutingTree> {
  const agent = type === 'agent.idle' && agentId !== null ? tree.get(agentId) : undefined
  if (agent === undefined || agent.parentId === null || agent.filed === true) return tree
  const restIsKnown = await isRestKnown(reading.tx, agent.id)
  const waits = restIsKnown ? undefined : await waitsFor(reading, agent.id)
  const now = { ...agent, restIsKnown, ...(waits !== undefined && { waitsFor: waits }) }
  return new Map([...tree, [agent.id, now]])
}

/** What a lead may rest for. */
const ENDS: ReadonlySet<string> = new Set([
  'pr.merged',
  'pr.closed',
  'agent.killed',
  'agent.completed',
])

/**
 * How it reaches its recipient after all: a lead that rests until something of its children’s has
 * happened would rest for ever if the last of that were only carried along.
 */
export async function reachAtRest(
  reading: Reading,
  { type, agentId }: Pick<StoredEvent, 'type' | 'agentId'>,
  { to, reach }: Route,
): Promise<Reach> {
  if (reach !== 'carry' || to === 'human' || to === agentId || !ENDS.has(type)) return reach
  const lead = await reading.tx.agents.get(to)
  if (lead?.state !== 'idle') return reach
  if (!sharesBranch(lead) && filedBranches(await reading.pulls()).has(lead.branch)) return reach
  return (await waitsFor(reading, to, agentId)) === undefined ? 'wake' : reach
}

/** After these the next rest of an agent is news again. */
const RENEWS: ReadonlySet<string> = new Set(['agent.started', 'note', 'question.asked'])
/** These say more than that it rests. */
const REPORTS: ReadonlySet<string> = new Set(['agent.completed', 'agent.failed'])

/**
 * Remembers that a parent was notified of an agent’s rest, until the agent has been given more, has
 * said something or was started anew.
 */
export async function rememberRest(
  tx: StoreTransaction,
  { type, agentId, at }: Pick<StoredEvent, 'type' | 'agentId' | 'at'>,
  sent: readonly { readonly to: Recipient; readonly reach: Reach }[],
): Promise<void> {
  for (const { to, reach } of sent)
    if (to !== 'human' && reach === 'wake') await tx.snapshots.remove(toldOf(to))
  if (agentId === null) return
  if (RENEWS.has(type)) await tx.snapshots.remove(toldOf(agentId))
  if (REPORTS.has(type) || (type === 'agent.idle' && sent.some(({ reach }) => reach !== 'log')))
    await tx.snapshots.put(toldOf(agentId), { at })
}
