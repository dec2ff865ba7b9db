import type { AgentId, Recipient } from './ids.ts'
import { isAlive } from './lifecycle.ts'
import type { AgentState } from './records.ts'

/** As much of an agent as this needs. */
interface Addressee {
  readonly id: AgentId
  readonly parentId: AgentId | null
  readonly state: AgentState
  /** Something can be said to it; false for a root without a program. */
  readonly reachable: boolean
}

/**
 * The agent itself, or its nearest ancestor that lives and can be spoken to; at last the human.
 * Terminates on any input, cycles included.
 */
export function nearestLiving(
  tree: ReadonlyMap<AgentId, Addressee>,
  id: AgentId | null,
): Recipient {
  const seen = new Set<AgentId>()
  let at = id
  while (at !== null && !seen.has(at)) {
    seen.add(at)
    const agent = tree.get(at)
    if (agent === undefined) return 'human'
    if (agent.reachable && isAlive(agent.state)) return at
    at = agent.parentId
  }
  return 'human'
}
