import type { AgentCli } from '../adapters/agent-cli/agent-cli.ts'
import type { Pane } from '../adapters/multiplexer/multiplexer.ts'
import type { Agent } from '../adapters/store/store.ts'
import type { AgentId } from '../ids.ts'

/** `retryAt` (ms since the epoch) where a time is known; `soon` where looking again shortly may help; else a change of state will tell. */
export type Gate = { kind: 'open' } | { kind: 'closed'; reason: string; retryAt?: number; soon?: boolean }

const OPEN: Gate = { kind: 'open' }
const closed = (reason: string, more: { retryAt?: number; soon?: boolean } = {}): Gate => ({ kind: 'closed', reason, ...more })

/** Agents that wait in a call of ours have no dialog open; any other wait may be one, and Enter would approve it. */
const IN_A_CALL = /^(question|wait)\b/

/** Whether the agent’s state lets a message be typed. */
export function stateGate(agent: Agent, cli: Pick<AgentCli, 'reportsState'>, options: { typedAt: number; patience: number; now: number }): Gate {
  if (agent.paneId === null) return closed('it has no terminal')
  if (!cli.reportsState) {
    if (agent.state === 'spawning') return closed('it is being started')
    if (agent.state === 'waiting' && !IN_A_CALL.test(agent.stateReason ?? '')) return closed(`it waits: ${agent.stateReason ?? 'for a person'}`)
    return OPEN
  }
  if (agent.state !== 'idle') return closed(`it is ${agent.state}`)
  // What was typed last has not shown in its state yet: it is about to begin a turn.
  const settles = options.typedAt + options.patience
  if (agent.stateAt < options.typedAt && options.now < settles) return closed('it is about to read the message before', { retryAt: settles })
  return OPEN
}

/** Whether what is typed into the pane now would reach the agent, and no person is in the way. */
export function paneGate(pane: Pane | undefined, options: { agentId: AgentId; now: number; humanIdle: number }): Gate {
  if (pane === undefined) return closed('its terminal is gone', { soon: true })
  // Ids begin anew with each server of the multiplexer: this may be somebody else’s.
  if (pane.agentId !== options.agentId) return closed('its terminal is gone', { soon: true })
  if (pane.dead) return closed('its program has ended', { soon: true })
  if (pane.inMode) return closed('its terminal is in copy mode', { soon: true })
  if (pane.foreground === false) return closed('another program has its terminal', { soon: true })
  if (pane.humanActiveAt !== null && options.now - pane.humanActiveAt < options.humanIdle) {
    return closed('a person is typing', { retryAt: pane.humanActiveAt + options.humanIdle })
  }
  return OPEN
}
