import type { AgentCli, Observation } from '../../adapters/agent-cli/agent-cli.ts'
import type { ChannelResult } from '../../adapters/terminals/headless.ts'
import type { Multiplexer, Pane } from '../../adapters/terminals/holder.ts'
import type { Agent } from '../../domain/records.ts'
import type { Log } from '../../runtime/log.ts'
import type { Clock } from '../../domain/clock.ts'
import { isAtDialog, lastLinesOf, shownReason } from './dialog.ts'
import type { LiveAgentOf } from './live-agent.ts'
import { within } from '../../domain/time-limit.ts'

/**
 * Looks at agents’ programs and speaks to them through their adapters, which may fail or hang: a
 * look then yields nothing, and what became of something that was said is unknown.
 */
export interface AgentProbe {
  /**
   * What the program does now; null where its adapter can’t look. A failed look is `unknown`. One
   * that calls itself idle and shows something else in the place of its box for prompts waits for a
   * person.
   */
  observe(
    agent: Agent,
    cli: Pick<AgentCli, 'observe' | 'inputLine'>,
    pane: Pane | undefined,
  ): Promise<Observation | null>
  /**
   * What was typed into its terminal is proven by nothing: whatever that shows waits for a person.
   */
  unanswered(agent: Agent): Promise<void>
  /** Which ids stand in its conversation; null where that can’t be determined. */
  mentions(
    agent: Agent,
    cli: Pick<AgentCli, 'mentions'>,
    ids: readonly string[],
  ): Promise<ReadonlySet<string> | null>
  /** Throws where the outcome is unknown. */
  send(
    agent: Agent,
    channel: NonNullable<AgentCli['channel']>,
    pane: Pane | undefined,
    text: string,
  ): Promise<ChannelResult>
  /** Called with every look that yielded something. Returns how to stop. */
  onSeen(listener: (agent: Agent, observation: Observation) => void): () => void
}

/** Milliseconds. A look is made while somebody waits; a channel may start a program. */
const LIMITS = { observe: 3000, mentions: 10_000, send: 30_000 }
/**
 * A person who typed there this recently (ms) opened the menu, or sees the dialog: nobody has to be
 * notified.
 */
const PERSON = 60_000
/**
 * A program that was given its task with its start, and has not reported that it took it for as
 * long (ms), may stand before a first question.
 */
const STARTS = 20_000

export function createAgentProbe({
  liveAgentOf,
  multiplexer,
  clock,
  log,
}: {
  liveAgentOf: LiveAgentOf
  multiplexer: Pick<Multiplexer, 'capture' | 'captureStyled'>
  clock: Clock
  log: Log
}): AgentProbe {
  const listeners = new Set<(agent: Agent, observation: Observation) => void>()
  const report = (agent: Agent, observation: Observation): void => {
    for (const listener of listeners) listener(agent, observation)
  }

  const look = async (
    agent: Agent,
    observe: NonNullable<AgentCli['observe']>,
    pane: Pane | undefined,
  ): Promise<Observation | null> => {
    try {
      return await within(LIMITS.observe, liveAgentOf(agent, pane).then(observe))
    } catch (error) {
      log.debug({ err: error, agent: agent.id }, 'an agent could not be looked at')
      return { state: 'unknown', reason: 'it could not be looked at', source: 'session' }
    }
  }

  const shows = async (agent: Agent, paneId: Pane['paneId']): Promise<Observation> => {
    const screen = lastLinesOf(await multiplexer.capture(paneId))
    return { state: 'waiting', reason: shownReason(agent, screen), source: 'screen', screen }
  }

  /** What it says of itself, set against what its terminal shows. */
  const compared = async (
    agent: Agent,
    cli: Pick<AgentCli, 'inputLine'>,
    pane: Pane | undefined,
    said: Observation | null,
  ): Promise<Observation | null> => {
    const isIdle =
      said === null ? agent.state === 'idle' || isAtDialog(agent) : said.state === 'idle'
    const neverBegan =
      agent.state === 'running' &&
      agent.stateSource === 'process' &&
      clock() - agent.stateAt > STARTS
    const isStarting = said?.state === 'unknown' && (neverBegan || isAtDialog(agent))
    // What a hook reported has its reason already.
    const asks = said?.state === 'waiting' && agent.state !== 'waiting'
    if (
      !(isIdle || isStarting || asks) ||
      cli.inputLine === undefined ||
      pane === undefined ||
      pane.dead ||
      pane.foreground === false
    )
      return said
    try {
      const line = cli.inputLine(await multiplexer.captureStyled(pane.paneId))
      if (line === 'unknown')
        return {
          ...(await shows(agent, pane.paneId)),
          ...(asks ? { source: said.source } : { tentative: true }),
        }
      return (
        said ??
        (isAtDialog(agent) && line !== 'unseen'
          ? { state: 'idle', reason: null, source: 'screen' }
          : null)
      )
    } catch (error) {
      log.debug({ err: error, agent: agent.id }, 'a terminal could not be looked at')
      return said
    }
  }

  return {
    observe: async (agent, cli, pane) => {
      if (cli.observe === undefined) return null
      const said = await look(
        agent,
        (live) => cli.observe?.(live) ?? Promise.reject(new Error('no way to look')),
        pane,
      )
      const observation = await compared(agent, cli, pane, said)
      const isTheirs =
        observation?.tentative === true &&
        agent.state !== 'waiting' &&
        clock() - (pane?.humanActiveAt ?? 0) < PERSON
      if (observation !== null && !isTheirs) report(agent, observation)
      return observation
    },
    unanswered: async (agent) => {
      if (agent.paneId !== null) report(agent, await shows(agent, agent.paneId))
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
    send: async (agent, channel, pane, text) =>
      within(LIMITS.send, channel.send(await liveAgentOf(agent, pane), text)),
    onSeen: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
