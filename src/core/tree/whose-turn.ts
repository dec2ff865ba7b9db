import type { Agent } from '../../domain/records.ts'
import type { AgentId } from '../../domain/ids.ts'
import type { TreeNode } from '../agents/tree-document.ts'
import { hasProgram, isAlive, isLasting } from '../../domain/lifecycle.ts'

/** What else is known of an agent, beside its record. */
export interface TurnFacts {
  readonly question: boolean
  readonly pull: TreeNode['pr']
  /** Items of the human’s inbox that are about it. */
  readonly items: number
}

/**
 * Who has to act for an agent to go on, or for its work to land: the human, where the inbox says so,
 * and nowhere else; an agent above it; or null where it is its own turn, or nobody’s. `agents`: all
 * there are, by id.
 */
export function whoseTurn(
  agents: ReadonlyMap<AgentId, Agent>,
  agent: Agent,
  { question, pull, items }: TurnFacts,
): AgentId | 'human' | null {
  if (items > 0) return 'human'
  const isWithOthers = question
    ? isAlive(agent.state)
    : isLasting(agent) &&
      (agent.state === 'failed' ||
        (agent.state === 'idle' && (agent.outcome?.success === false || isWithLead(pull))))
  return isWithOthers ? leadOf(agents, agent) : null
}

/** Who an agent asks: the nearest above it that lives and has a program; null for the human. */
function leadOf(agents: ReadonlyMap<AgentId, Agent>, { parentId }: Agent): AgentId | null {
  const above = parentId === null ? undefined : agents.get(parentId)
  if (above === undefined) return null
  return isAlive(above.state) && hasProgram(above) ? above.id : leadOf(agents, above)
}

/** Filed, and nothing of it is its author’s to do: to be reviewed or merged. */
const isWithLead = (pull: TreeNode['pr']): boolean =>
  pull?.state === 'open' &&
  !pull.draft &&
  pull.landing === null &&
  pull.scheduled === null &&
  pull.mergeable !== 'conflicting' &&
  pull.checks !== 'failed' &&
  pull.checks !== 'pending' &&
  pull.review !== 'changes_requested'
