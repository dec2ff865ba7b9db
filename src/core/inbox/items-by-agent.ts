import type { AgentId } from '../../domain/ids.ts'
import type { Agent } from '../../domain/records.ts'
import type { Item } from './item.ts'

/**
 * How many items need the human for each agent that the tree shows; what is nobody’s there, or of
 * one that is out of sight, counts for the nearest above it, at last for the root. `under`: what is
 * shown above an agent.
 */
export function itemsByAgent(
  items: readonly Item[],
  agents: ReadonlyMap<AgentId, Agent>,
  under: (agent: Agent) => AgentId | null,
): Map<AgentId, number> {
  const root = [...agents.values()].find(({ kind }) => kind === 'root')?.id
  const counts = new Map<AgentId, number>()
  for (const { agent_id: id } of items) {
    const agent = id === null ? undefined : agents.get(id)
    const shown = agent === undefined || agent.reapedAt === null ? agent?.id : under(agent)
    const counted = shown ?? root
    if (counted !== undefined) counts.set(counted, (counts.get(counted) ?? 0) + 1)
  }
  return counts
}
