import type { StoreTransaction } from '../adapters/store/store.ts'
import { filedBranches } from '../core/pulls/pull-records.ts'
import { forgetRest, isRestKnown, recordRest, waitsFor, type Reading } from '../core/turns/rest.ts'
import { sharesBranch } from '../domain/agent-kinds.ts'
import type { Recipient } from '../domain/ids.ts'
import type { Reach, StoredEvent } from '../domain/records.ts'
import type { Route, RoutingAgent, RoutingTree } from './router.ts'

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
  { to, reach, aside }: Route,
): Promise<Reach> {
  if (reach !== 'carry' || aside === true || to === 'human' || to === agentId || !ENDS.has(type))
    return reach
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
 * Remembers that an agent rests, until it has been given more, has said something or was started
 * anew. Whether its parent is notified of that is for `[attention]` and the templates to say: that it
 * does nothing by itself is so whatever they do.
 */
export async function rememberRest(
  tx: StoreTransaction,
  event: Pick<StoredEvent, 'type' | 'agentId' | 'at' | 'payload'>,
  tree: RoutingTree,
  sent: readonly { readonly to: Recipient; readonly reach: Reach }[],
): Promise<void> {
  const { type, agentId, at } = event
  for (const { to, reach } of sent) if (to !== 'human' && reach === 'wake') await forgetRest(tx, to)
  if (agentId === null) return
  if (RENEWS.has(type)) await forgetRest(tx, agentId)
  if (REPORTS.has(type) || restsBy(event, tree.get(agentId))) await recordRest(tx, agentId, at)
}

function restsBy(
  { type, payload }: Pick<StoredEvent, 'type' | 'payload'>,
  agent: RoutingAgent | undefined,
): boolean {
  // What it rests for by itself was waited for long enough.
  if (type === 'agent.silent') return payload['rests'] === true
  return (
    type === 'agent.idle' &&
    agent !== undefined &&
    agent.parentId !== null &&
    agent.filed !== true &&
    agent.waitsFor === undefined
  )
}
