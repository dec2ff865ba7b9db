import { sharesBranch } from '../../domain/agent-kinds.ts'
import { meantBy } from '../../domain/addresses.ts'
import type { Agent } from '../../domain/records.ts'
import { ExomonadError } from '../../domain/errors.ts'
import type { AgentId } from '../../domain/ids.ts'
import { isAlive } from '../../domain/lifecycle.ts'

/**
 * Pure questions about the tree of agents. Parenthood is the stored fact; branch names only show it
 * where there is no record.
 */

export const childrenOf = (agents: readonly Agent[], id: AgentId): Agent[] =>
  agents.filter((agent) => agent.parentId === id)

/**
 * All below an agent, children before their parents, so that a kill in this order never orphans
 * one.
 */
export function descendantsOf(agents: readonly Agent[], id: AgentId): Agent[] {
  const byParent = Map.groupBy(agents, (agent) => agent.parentId)
  const collect = (parent: AgentId): Agent[] =>
    (byParent.get(parent) ?? []).flatMap((child) => [...collect(child.id), child])
  return collect(id)
}

/** From the parent up to the root. */
export function ancestorsOf(agents: readonly Agent[], id: AgentId): Agent[] {
  const byId = new Map(agents.map((agent) => [agent.id, agent]))
  const chain: Agent[] = []
  for (
    let next = byId.get(id)?.parentId;
    next !== null && next !== undefined;
    next = byId.get(next)?.parentId
  ) {
    const parent = byId.get(next)
    if (parent === undefined || chain.includes(parent)) break
    chain.push(parent)
  }
  return chain
}

/**
 * The agent an address means: its id, a unique prefix of the id (4 characters or more), its branch,
 * its name, or the end of its branch behind a dot, where that is unique; living ones come before
 * those that have ended (`meantBy`). AGENT_NOT_FOUND, AMBIGUOUS_ID.
 */
export function resolveAddress(agents: readonly Agent[], address: string): Agent {
  const meant = meantBy(agents, address)
  const [only] = meant
  if (only === undefined) {
    throw new ExomonadError(
      'AGENT_NOT_FOUND',
      `Agent not found: "${address}" is no id, branch or name in this tree. \`exomonad tree\` lists the agents.`,
      {
        agent: address,
      },
    )
  }
  if (meant.length === 1) return only
  throw new ExomonadError(
    'AMBIGUOUS_ID',
    `"${address}" means ${meant.length} agents: ${meant.map((agent) => addressOf(agent)).join(', ')}. Say more of the end of the branch, or a longer id.`,
    {
      agent: address,
      matches: meant.map((agent) => ({ id: agent.id, branch: agent.branch })),
    },
  )
}

/** By what an agent is found for certain: the branch of a fork or a session is another’s. */
export const addressOf = (agent: Pick<Agent, 'kind' | 'id' | 'branch'>): string =>
  sharesBranch(agent) ? agent.id : agent.branch

/**
 * The work on its branch was merged, and nothing was made since; of what shares its caller’s branch
 * that says nothing.
 */
export const isFolded = (agent: Agent, mergedBranches: ReadonlySet<string>): boolean =>
  !sharesBranch(agent) && mergedBranches.has(agent.branch)

/**
 * Alive and not done: what `limits.max_live_agents` counts. The root, whose lifetime is the
 * human’s, doesn’t count.
 */
export const countsAsLive = (agent: Agent, mergedBranches: ReadonlySet<string>): boolean =>
  agent.kind !== 'root' &&
  isAlive(agent.state) &&
  agent.outcome === null &&
  !isFolded(agent, mergedBranches)
