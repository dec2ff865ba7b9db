import type { Agent } from '../../domain/records.ts'
import type { AgentId } from '../../domain/ids.ts'
import type { TreeNode } from '../agents/tree-document.ts'
import { hasProgram, isAlive, isInCall, isLasting } from '../../domain/lifecycle.ts'

/** What else is known of an agent, beside its record. */
export interface TurnFacts {
  /** Something of it waits for a person’s approval. */
  readonly approval: boolean
  readonly question: boolean
  /** Messages to it of which nobody knows whether they arrived. */
  readonly undecided: boolean
  readonly pull: TreeNode['pr']
}

/**
 * Who has to act for an agent to go on, or for its work to land: the human, an agent above it, or
 * null where it is its own turn, or nobody’s. `agents`: all there are, by id.
 */
export function whoseTurn(
  agents: ReadonlyMap<AgentId, Agent>,
  agent: Agent,
  { approval, question, undecided, pull }: TurnFacts,
): AgentId | 'human' | null {
  if (!isAlive(agent.state) && agent.state !== 'failed') return null
  if ((approval && isAlive(agent.state)) || undecided) return 'human'
  if (question && isAlive(agent.state)) return leadOf(agents, agent)
  // At a prompt for permission or a dialog; or nobody knows what it does.
  if (agent.state === 'unknown' || (agent.state === 'waiting' && !isInCall(agent))) return 'human'
  if (!isLasting(agent)) return null
  if (agent.state === 'failed') return leadOf(agents, agent)
  if (agent.state !== 'idle') return null
  return agent.outcome?.success === false || isWithLead(pull) ? leadOf(agents, agent) : null
}

/** Who an agent asks: the nearest above it that lives and has a program, else the human. */
function leadOf(agents: ReadonlyMap<AgentId, Agent>, { parentId }: Agent): AgentId | 'human' {
  const above = parentId === null ? undefined : agents.get(parentId)
  if (above === undefined) return 'human'
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
