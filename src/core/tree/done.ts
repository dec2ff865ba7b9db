import type { PullRequestSnapshot } from '../../adapters/forge/forge.ts'
import type { StoreVerbs } from '../../adapters/store/store.ts'
import { sharesBranch } from '../../domain/agent-kinds.ts'
import type { AgentId } from '../../domain/ids.ts'
import { isAlive } from '../../domain/lifecycle.ts'
import type { Agent } from '../../domain/records.ts'
import { knownPulls } from '../pulls/pull-records.ts'

/**
 * Those whose programs may be ended because nothing is left for them to do: their work was merged,
 * or they reported success; they rest, and were given nothing since.
 */
export async function doneAgents(
  store: StoreVerbs,
  agents: readonly Agent[],
): Promise<ReadonlySet<AgentId>> {
  const pulls = await knownPulls(store)
  const done = new Set<AgentId>()
  for (const agent of agents) {
    if (isAlive(agent.state) && agent.state !== 'idle') continue
    const times = [successAt(agent), await mergedAt(store, pulls, agent)].filter(
      (time) => time !== null,
    )
    if (times.length > 0 && !(await wasGivenMore(store, agent, Math.max(...times))))
      done.add(agent.id)
  }
  return done
}

/** Whether a person or its parent sent it something after that time, other than to be carried along. */
export async function wasGivenMore(
  store: StoreVerbs,
  { id, parentId }: Agent,
  after: number,
): Promise<boolean> {
  const types = ['message', 'mail']
  const sent = await store.events.list({ types, agentId: id, since: after + 1 })
  return sent.some(
    ({ actor, payload }) =>
      (actor === 'human' || actor === parentId) && payload['urgency'] === undefined,
  )
}

/** What was stored by an earlier version has no time: all that it was ever sent may be later. */
const successAt = ({ outcome }: Agent): number | null =>
  outcome?.success === true ? (outcome.at ?? 0) : null

/** Where the newest pull request of its branch is its own, and merged. */
async function mergedAt(
  store: StoreVerbs,
  pulls: readonly PullRequestSnapshot[],
  agent: Agent,
): Promise<number | null> {
  if (sharesBranch(agent)) return null
  const newest = pulls.findLast(
    ({ head, state }) => head.branch === agent.branch && state !== 'closed',
  )
  if (newest?.state !== 'merged' || !isOwn(newest, agent)) return null
  const of = newest.agentId === null ? {} : { agentId: newest.agentId }
  const merges = await store.events.list({ types: ['pr.merged'], since: agent.spawnedAt, ...of })
  const at = merges.findLast(({ payload }) => payload['url'] === newest.url)?.at
  // Events go when they are old: all that are left are later then. A merge elsewhere is known a
  // while after it was made.
  return at === undefined ? 0 : Math.min(at, newest.updatedAt)
}

/** An earlier agent may have had a branch of the same name. */
const isOwn = ({ agentId, createdAt }: PullRequestSnapshot, agent: Agent): boolean =>
  agentId === agent.id || (agentId === null && createdAt >= agent.spawnedAt)
