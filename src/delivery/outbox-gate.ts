import type { AgentCli, Observation } from '../adapters/agent-cli/agent-cli.ts'
import type { Pane } from '../adapters/terminals/holder.ts'
import type { Agent } from '../domain/records.ts'
import { isInCall } from '../domain/lifecycle.ts'
import type { AgentId } from '../domain/ids.ts'

/**
 * `retryAt` (ms since the epoch) where a time is known; `soon` where looking again shortly may
 * help; `watch` where the program has to be looked at again and again, because nobody reports; else
 * a change of state will wake it.
 */
export type Gate =
  | { kind: 'open' }
  | { kind: 'closed'; reason: string; retryAt?: number; soon?: boolean; watch?: boolean }

const OPEN: Gate = { kind: 'open' }
const closed = (
  reason: string,
  more: { retryAt?: number; soon?: boolean; watch?: boolean } = {},
): Gate => ({ kind: 'closed', reason, ...more })

type Timing = { typedAt: number; ackTimeout: number; now: number }

/** What was handed over last has not shown in its state yet: it is about to begin a turn. */
function isAboutToRead(agent: Agent, { typedAt, ackTimeout, now }: Timing): Gate {
  const settles = typedAt + ackTimeout
  return agent.stateAt < typedAt && now < settles
    ? closed('it is about to read the message before', { retryAt: settles })
    : OPEN
}

/** Whether the agent’s state lets a message be typed. */
export function stateGate(agent: Agent, cli: Pick<AgentCli, 'reportsState'>, timing: Timing): Gate {
  if (agent.paneId === null) return closed('it has no terminal')
  if (!cli.reportsState) {
    if (agent.state === 'spawning') return closed('it is being started')
    if (agent.state === 'unknown') return closed('what it does is unknown', { watch: true })
    if (agent.state === 'waiting' && !isInCall(agent))
      return closed(`it waits: ${agent.stateReason ?? 'for a person'}`, { watch: true })
    return OPEN
  }
  return agent.state === 'idle'
    ? isAboutToRead(agent, timing)
    : closed(`it is ${agent.state}`, { watch: true })
}

/**
 * Whether the agent’s state lets a message be given to its program’s own channel, which knows
 * neither dialogs nor half-written lines.
 */
export function channelGate(
  agent: Agent,
  channel: { readonly midTurn: boolean },
  timing: Timing,
): Gate {
  if (agent.paneId === null) return closed('it has no terminal')
  if (agent.state === 'idle') return channel.midTurn ? OPEN : isAboutToRead(agent, timing)
  return channel.midTurn && (agent.state === 'running' || isInCall(agent))
    ? OPEN
    : closed(`it is ${agent.state}`, { watch: true })
}

/** Whether the pane is the agent’s and its program runs. */
export function lifeGate(pane: Pane | undefined, agentId: AgentId): Gate {
  // Ids begin anew with each server of the multiplexer: this may be somebody else’s.
  if (pane === undefined || pane.agentId !== agentId)
    return closed('its terminal is gone', { soon: true })
  return pane.dead ? closed('its program has ended', { soon: true }) : OPEN
}

/** Whether what is typed into the pane now would reach the agent, and no person is in the way. */
export function paneGate(
  pane: Pane | undefined,
  options: { agentId: AgentId; now: number; humanIdle: number },
): Gate {
  const life = lifeGate(pane, options.agentId)
  if (pane === undefined || life.kind === 'closed') return life
  if (pane.inMode) return closed('its terminal is in copy mode', { soon: true })
  if (pane.foreground === false) return closed('another program has its terminal', { soon: true })
  if (pane.humanActiveAt !== null && options.now - pane.humanActiveAt < options.humanIdle) {
    return closed('a person is typing', { retryAt: pane.humanActiveAt + options.humanIdle })
  }
  return OPEN
}

/**
 * Whether what can be seen of the program lets a message be typed; null where its adapter can’t
 * look.
 */
export function probeGate(seen: Observation | null): Gate {
  if (seen === null || seen.state === 'idle') return OPEN
  const what =
    seen.state === 'unknown' ? 'what it does can’t be determined' : `it is seen to be ${seen.state}`
  return closed(seen.reason === null ? what : `${what}: ${seen.reason}`, { watch: true })
}
