import type { Agent } from '../../domain/records.ts'
import type { AgentStatus } from '../sessions/agent-sessions.ts'
import type { Wait } from '../tree/waits.ts'
import { isAlive } from '../../domain/lifecycle.ts'

/** It idles and has said that its task is done, or can’t be. */
export const hasReported = (agent: Pick<Agent, 'state' | 'outcome'>): boolean =>
  agent.state === 'idle' && agent.outcome !== null

/**
 * As other tools have it: of the live states all are `running`, but for agents that idle with their
 * work reported.
 */
export function statusOf(agent: Pick<Agent, 'state' | 'outcome'>): AgentStatus['status'] {
  const { state, outcome } = agent
  if (state === 'completed' || state === 'failed' || state === 'killed') return state
  if (!hasReported(agent)) return 'running'
  return outcome?.success === true ? 'completed' : 'failed'
}

/**
 * When it was done: it said so, whatever it was woken for since then; or its program ended. Null
 * while it works.
 */
export function doneAt(
  agent: Pick<Agent, 'state' | 'outcome' | 'stateAt' | 'endedAt'>,
): number | null {
  const { state, outcome, stateAt, endedAt } = agent
  if (hasReported(agent)) return outcome?.at ?? stateAt
  if (isAlive(state)) return null
  const ended = endedAt ?? stateAt
  return state === 'completed' ? Math.min(outcome?.at ?? ended, ended) : ended
}

export function describeStatus(
  agent: Agent,
  root: Agent | undefined,
  waits: readonly Wait[] = [],
): AgentStatus {
  const done = doneAt(agent)
  return {
    agent_id: agent.id,
    name: agent.name,
    kind: agent.kind,
    parent_id: agent.parentId === root?.id ? null : agent.parentId,
    depth: agent.depth,
    status: statusOf(agent),
    spawned_at: iso(agent.spawnedAt),
    completed_at: done === null ? null : iso(done),
    tool_calls: agent.toolCalls,
    tokens: agent.tokens,
    waits: waits.map(({ what, since }) => ({ what, since: iso(since) })),
  }
}

const iso = (at: number): string => new Date(at).toISOString()
