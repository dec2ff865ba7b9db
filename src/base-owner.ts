import { sharesBranch } from './agent-kinds.ts'
import type { Agent } from './adapters/store/store.ts'
import type { AgentId } from './ids.ts'

/** As much of an agent as this needs. `branch`: null for one that works on its parent’s. */
interface Placed {
  readonly id: AgentId
  readonly parentId: AgentId | null
  readonly branch: string | null
  /** Where its pull request goes. */
  readonly baseBranch: string | null
}

/** Records as `baseOwners` takes them. */
export const placed = (agents: readonly Agent[]): Map<AgentId, Omit<Agent, 'branch'> & Placed> =>
  new Map(agents.map((agent) => [agent.id, { ...agent, branch: sharesBranch(agent) ? null : agent.branch }]))

/**
 * Whose branch a pull request goes into, among the ancestors of the agent that filed it, the nearest first: who is told that it is ready,
 * reviews it and merges it. Mostly the parent (and, where that is a fork, whoever it shares the branch with); after the parent’s own branch
 * was merged, and its children’s pull requests were pointed to the base of that, one further up. The root may have left that branch for another
 * one: what an ancestor’s own pull request goes into is its parent’s to merge into. Where nobody has that branch, the parent.
 */
export function baseOwners<One extends Placed>(agents: ReadonlyMap<AgentId, One>, author: AgentId, base: string): One[] {
  const parentId = agents.get(author)?.parentId ?? null
  const seen = new Set<AgentId>()
  /** Those that share the branch of the next that has one. */
  let sharing: One[] = []
  for (let at = parentId; at !== null && !seen.has(at); at = agents.get(at)?.parentId ?? null) {
    seen.add(at)
    const agent = agents.get(at)
    if (agent === undefined) break
    sharing.push(agent)
    if (agent.branch === null) continue
    if (agent.branch === base) return sharing
    const above = agent.baseBranch === base && agent.parentId !== null ? agents.get(agent.parentId) : undefined
    if (above !== undefined && above.parentId === null) return [above]
    sharing = []
  }
  const parent = parentId === null ? undefined : agents.get(parentId)
  return parent === undefined ? [] : [parent]
}
