import type { AgentCli, ChannelResult, Observation } from '../adapters/agent-cli/agent-cli.ts'
import type { Pane } from '../adapters/multiplexer/multiplexer.ts'
import type { Agent } from '../adapters/store/store.ts'
import type { Log } from '../log.ts'
import type { LiveAgentOf } from './live-agent.ts'
import { within } from './within.ts'

/**
 * Looks at agents’ programs and speaks to them through their adapters, which may fail or hang: a look then tells nothing, and what became of
 * something that was said is unknown.
 */
export interface Sight {
  /** What the program does now; null where its adapter can’t look. A failed look is `unknown`. */
  observe(agent: Agent, cli: Pick<AgentCli, 'observe'>, pane: Pane | undefined): Promise<Observation | null>
  /** Which ids stand in its conversation; null where that can’t be told. */
  mentions(agent: Agent, cli: Pick<AgentCli, 'mentions'>, ids: readonly string[]): Promise<ReadonlySet<string> | null>
  /** Throws where the outcome is unknown. */
  send(agent: Agent, channel: NonNullable<AgentCli['channel']>, pane: Pane | undefined, text: string): Promise<ChannelResult>
  /** Called with every look that told something. Answers how to stop. */
  onSeen(listener: (agent: Agent, observation: Observation) => void): () => void
}

/** Milliseconds. A look is made while somebody waits; a channel may start a program. */
const LIMITS = { observe: 3000, mentions: 10_000, send: 30_000 }

export function createSight({ liveAgentOf, log }: { liveAgentOf: LiveAgentOf; log: Log }): Sight {
  const listeners = new Set<(agent: Agent, observation: Observation) => void>()

  const look = async (agent: Agent, observe: NonNullable<AgentCli['observe']>, pane: Pane | undefined): Promise<Observation | null> => {
    try {
      return await within(LIMITS.observe, liveAgentOf(agent, pane).then(observe))
    } catch (error) {
      log.debug({ err: error, agent: agent.id }, 'an agent could not be looked at')
      return { state: 'unknown', reason: 'it could not be looked at', source: 'session' }
    }
  }

  return {
    observe: async (agent, cli, pane) => {
      if (cli.observe === undefined) return null
      const observation = await look(agent, (live) => cli.observe?.(live) ?? Promise.reject(new Error('no way to look')), pane)
      if (observation !== null) for (const listener of listeners) listener(agent, observation)
      return observation
    },
    mentions: async (agent, cli, ids) => {
      if (cli.mentions === undefined || ids.length === 0) return null
      try {
        return await within(LIMITS.mentions, cli.mentions(await liveAgentOf(agent), ids))
      } catch (error) {
        log.debug({ err: error, agent: agent.id }, 'a conversation could not be read')
        return null
      }
    },
    send: async (agent, channel, pane, text) => within(LIMITS.send, channel.send(await liveAgentOf(agent, pane), text)),
    onSeen: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
