import { sharesBranch } from './agent-kinds.ts'
import type { Agent, AgentState } from './records.ts'
import { isAlive } from './lifecycle.ts'
import { parentBranch, type AgentId, type BranchName } from './ids.ts'

/** As much of an agent as this needs. `branch`: null for one that works on its parent’s. */
interface Placed {
  readonly id: AgentId
  readonly parentId: AgentId | null
  readonly branch: string | null
  /** Where its pull request goes. */
  readonly baseBranch: string | null
  readonly state: AgentState
}

/** Records as `baseOwners` takes them. */
export const placed = (agents: readonly Agent[]): Map<AgentId, Omit<Agent, 'branch'> & Placed> =>
  new Map(
    agents.map((agent) => [
      agent.id,
      { ...agent, branch: sharesBranch(agent) ? null : agent.branch },
    ]),
  )

/** The agent itself and its ancestors, the nearest first. Ends on any input, cycles included. */
function lineUp<One extends Placed>(agents: ReadonlyMap<AgentId, One>, id: AgentId | null): One[] {
  const line = new Set<One>()
  for (let at = id; at !== null;) {
    const agent = agents.get(at)
    if (agent === undefined || line.has(agent)) break
    line.add(agent)
    at = agent.parentId
  }
  return [...line]
}

/** The root has left that branch for another one: children of it are from there, and go there. */
function isLeftBy<One extends Placed>(
  agents: ReadonlyMap<AgentId, One>,
  root: One,
  base: string,
): boolean {
  const isFromThere = ({ branch, baseBranch }: One) =>
    branch !== null && baseBranch === base && parentBranch(branch as BranchName) === base
  return (
    root.parentId === null &&
    [...agents.values()].some((agent) => agent.parentId === root.id && isFromThere(agent))
  )
}

/**
 * Whose branch a pull request goes into: who is notified that it is ready, reviews it and merges
 * it. Mostly the parent of the agent that filed it (with forks of that between them, the nearest
 * first); after it was pointed to another base whoever has that branch. One that the root has left
 * is still its. Nobody where no agent has it, and for the root’s own: these are a person’s.
 */
export function baseOwners<One extends Placed>(
  agents: ReadonlyMap<AgentId, One>,
  author: AgentId,
  base: string,
): One[] {
  const ancestors = lineUp(agents, agents.get(author)?.parentId ?? null)
  const top = ancestors.at(-1)
  if (top === undefined) return []
  // A branch of an agent that is over may be another’s by now.
  const having = [...ancestors, ...[...agents.values()].reverse()].filter(
    ({ id, branch }) => branch === base && id !== author,
  )
  const owner = having.find(({ state }) => isAlive(state)) ?? having[0]
  if (owner === undefined) return isLeftBy(agents, top, base) ? [top] : []
  const below = ancestors.slice(0, Math.max(0, ancestors.indexOf(owner)))
  return [...below.slice(below.findLastIndex(({ branch }) => branch !== null) + 1), owner]
}

/**
 * Who may merge it: its owners; for those that are over their nearest ancestor that lives, who is
 * notified in their stead.
 */
export function baseMergers<One extends Placed>(
  agents: ReadonlyMap<AgentId, One>,
  author: AgentId,
  base: string,
): One[] {
  const owners = baseOwners(agents, author, base)
  const instead = lineUp(agents, owners.at(-1)?.id ?? null).find(({ state }) => isAlive(state))
  return instead === undefined || owners.includes(instead) ? owners : [...owners, instead]
}
