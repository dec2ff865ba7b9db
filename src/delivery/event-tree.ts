import { sharesBranch } from '../domain/agent-kinds.ts'
import { isFolded } from '../core/agents/tree.ts'
import type { StoreVerbs } from '../adapters/store/store.ts'
import type { Agent } from '../domain/records.ts'
import { hasProgram } from '../domain/lifecycle.ts'
import type { Actor, AgentId, Recipient } from '../domain/ids.ts'
import type { RoutableEvent, RoutingTree } from './router.ts'
import type { EventContext, TemplateParty } from './render/template-data.ts'

/**
 * The root is a place that a program may come to; without one, what is for it is for the human.
 * Other agents keep theirs till they are resumed.
 */
export const isReachable = (agent: Agent): boolean =>
  agent.kind !== 'root' || agent.state === 'spawning' || hasProgram(agent)

/**
 * A root whose program has ended or could not be started, until `exomonad up` starts it. One that
 * never had any is a person.
 */
export const startsAgain = (agent: Agent): boolean => !isReachable(agent) && agent.agentCli !== null

/**
 * The agents an event can concern: its own line up to the root, and of pull requests, whose base
 * may be anybody’s, and of what two are concerned with, all.
 */
export async function agentsAround(
  verbs: Pick<StoreVerbs, 'agents'>,
  event: RoutableEvent,
): Promise<Map<AgentId, Agent>> {
  if (typeof event.payload['head'] === 'string' || typeof event.payload['partner_id'] === 'string')
    return byId(await verbs.agents.list())
  return event.agentId === null ? new Map() : lineOf(verbs, event.agentId)
}

/** An agent and its ancestors. */
export async function lineOf(
  verbs: Pick<StoreVerbs, 'agents'>,
  id: AgentId,
): Promise<Map<AgentId, Agent>> {
  const line = new Map<AgentId, Agent>()
  for (let next: AgentId | null = id; next !== null && !line.has(next);) {
    const agent: Agent | undefined = await verbs.agents.get(next)
    if (agent === undefined) break
    line.set(agent.id, agent)
    next = agent.parentId
  }
  return line
}

const byId = (agents: readonly Agent[]): Map<AgentId, Agent> =>
  new Map(agents.map((agent) => [agent.id, agent]))

/** Branches whose work is in a pull request that is open or merged, and those of which it is merged. */
export interface FiledWork {
  readonly filed: ReadonlySet<string>
  readonly merged: ReadonlySet<string>
}
const NOTHING: FiledWork = { filed: new Set(), merged: new Set() }

export const asRoutingTree = (
  agents: ReadonlyMap<AgentId, Agent>,
  { filed, merged }: FiledWork = NOTHING,
): RoutingTree =>
  new Map(
    [...agents].map(([id, agent]) => [
      id,
      {
        ...{
          id,
          role: agent.role,
          parentId: agent.parentId,
          branch: sharesBranch(agent) ? null : agent.branch,
          baseBranch: agent.baseBranch,
        },
        ...{ state: agent.state, reachable: isReachable(agent), startsAgain: startsAgain(agent) },
        awaited: agent.kind === 'spawn' || agent.kind === 'delegate',
        filed: !sharesBranch(agent) && filed.has(agent.branch),
        folded: isFolded(agent, merged),
        isMinor: agent.kind === 'llm' || agent.kind === 'process',
      },
    ]),
  )

const HUMAN: TemplateParty = {
  ...{ id: 'human', name: 'the human', branch: '', kind: 'human' },
  ...{ base: '', filed: false },
}

const party = (agent: Agent, { filed }: FiledWork): TemplateParty => ({
  id: agent.id,
  name: agent.name,
  branch: agent.branch,
  kind: agent.kind,
  base: agent.baseBranch ?? '',
  filed: !sharesBranch(agent) && filed.has(agent.branch),
})

async function nameOf(
  verbs: Pick<StoreVerbs, 'agents'>,
  agents: ReadonlyMap<AgentId, Agent>,
  actor: Actor,
): Promise<string> {
  if (actor === 'human') return HUMAN.name
  if (actor === 'daemon') return 'exomonad'
  if (actor.startsWith('forge:')) return actor.slice('forge:'.length)
  const id = actor as AgentId
  return (agents.get(id) ?? (await verbs.agents.get(id)))?.name ?? actor
}

/** Who is who in an event, for the templates. */
export async function contextOf(
  verbs: Pick<StoreVerbs, 'agents'>,
  agents: ReadonlyMap<AgentId, Agent>,
  event: RoutableEvent,
  to: Recipient,
  work: FiledWork = NOTHING,
): Promise<EventContext> {
  const head = event.payload['head']
  const about =
    event.agentId === null
      ? [...agents.values()].find((agent) => agent.branch === head && !sharesBranch(agent))
      : agents.get(event.agentId)
  const nobody: TemplateParty =
    typeof head === 'string'
      ? { ...HUMAN, id: '', name: head, branch: head, kind: '' }
      : { ...HUMAN, id: '', name: 'somebody', kind: '' }
  const parent = about?.parentId ? agents.get(about.parentId) : undefined
  const recipient = to === 'human' ? undefined : (agents.get(to) ?? (await verbs.agents.get(to)))
  return {
    agent: about ? party(about, work) : nobody,
    parent: parent ? party(parent, work) : HUMAN,
    recipient: recipient ? party(recipient, work) : HUMAN,
    actor_name: await nameOf(verbs, agents, event.actor),
  }
}
