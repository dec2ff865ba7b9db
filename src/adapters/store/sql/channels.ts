import { EventEmitter } from 'node:events'
import type { AgentId } from '../../../domain/ids.ts'
import type { Log } from '../../../runtime/log.ts'

/**
 * Wake-ups of those who wait in this process, one channel per agent. They carry nothing: whoever is
 * woken looks for itself.
 */
export interface Channels {
  subscribe(agentId: AgentId, listener: () => void): () => void
  signal(agentId: AgentId): void
}

/** The name of an agent's channel, in every dialect. */
export const channelOf = (agentId: AgentId): string => `agent_event_${agentId}`

export function createChannels(log: Log): Channels {
  const emitter = new EventEmitter()
  // Many callers may wait for one agent at once.
  emitter.setMaxListeners(0)
  return {
    subscribe: (agentId, listener) => {
      const guarded = (): void =>
        runLogged(listener, log, 'A listener for an agent’s wake-ups failed')
      emitter.on(channelOf(agentId), guarded)
      return () => emitter.off(channelOf(agentId), guarded)
    },
    signal: (agentId) => {
      emitter.emit(channelOf(agentId))
    },
  }
}

/**
 * Calls back so that a fault, also a later one of an async callback, is logged and stops nobody
 * else.
 */
export function runLogged(callback: () => unknown, log: Log, message: string): void {
  try {
    Promise.resolve(callback()).catch((thrown: unknown) => log.error({ err: thrown }, message))
  } catch (thrown) {
    log.error({ err: thrown }, message)
  }
}
