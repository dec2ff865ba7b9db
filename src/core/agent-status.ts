import type { Agent } from '../adapters/store/store.ts'
import type { AgentStatus } from './agent-sessions.ts'
import { isAlive } from './lifecycle.ts'

/** It idles and has said that its task is done, or can’t be. */
export const hasReported = (agent: Pick<Agent, 'state' | 'outcome'>): boolean => agent.state === 'idle' && agent.outcome !== null

/** tools.md, “Agents”: of the live states all are `running`, but for agents that idle with their work reported. */
export function statusOf(agent: Pick<Agent, 'state' | 'outcome'>): AgentStatus['status'] {
  const { state, outcome } = agent
  if (state === 'completed' || state === 'failed' || state === 'killed') return state
  if (!hasReported(agent)) return 'running'
  return outcome?.success === true ? 'completed' : 'failed'
}

export function describeStatus(agent: Agent, root: Agent | undefined): AgentStatus {
  const doneAt = isAlive(agent.state) ? (hasReported(agent) ? agent.stateAt : null) : (agent.endedAt ?? agent.stateAt)
  return {
    agent_id: agent.id,
    name: agent.name,
    kind: agent.kind,
    parent_id: agent.parentId === root?.id ? null : agent.parentId,
    depth: agent.depth,
    status: statusOf(agent),
    spawned_at: iso(agent.spawnedAt),
    completed_at: doneAt === null ? null : iso(doneAt),
    tool_calls: agent.toolCalls,
    tokens: agent.tokens,
  }
}

const iso = (at: number): string => new Date(at).toISOString()
