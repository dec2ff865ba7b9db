import type { AgentCli } from '../adapters/agent-cli/agent-cli.ts'
import type { Multiplexer } from '../adapters/multiplexer/multiplexer.ts'
import type { Agent, Delivery, Store } from '../adapters/store/store.ts'
import type { Config } from '../config/schema.ts'
import type { Clock } from '../core/clock.ts'
import type { PaneId } from '../ids.ts'
import type { Log } from '../log.ts'
import { paneGate, stateGate, type Gate } from './outbox-gate.ts'
import { shows } from './outbox-message.ts'

export type TypingCli = Pick<AgentCli, 'acks' | 'reportsState' | 'enterDelay'>

/**
 * `not_typed`: certainly not read by anybody. `stuck`: the text stands in the box, Enter could not be pressed; `cut_off`: nor is it
 * tried any more. `at`: time of the paste.
 */
export type Typed =
  | { kind: 'typed'; at: number }
  | { kind: 'not_typed'; reason: string }
  | { kind: 'stuck'; reason: string; at: number }
  | { kind: 'cut_off'; at: number }

export interface Progress {
  /** It arrived: somebody else pressed Enter. */
  readonly confirmed: () => Promise<boolean>
  /** The daemon stops. */
  readonly stopped: () => boolean
}

export interface Typing {
  /** Pastes, waits the program’s delay, looks again, presses Enter. Throws where the multiplexer does not answer: the outcome is unknown. */
  type(agent: Agent, paneId: PaneId, text: string, hints: { cli: TypingCli; config: Config; progress: Progress }): Promise<Typed>
  /** Enter, if one of these still stands on the screen and nothing is in the way. */
  enterOnceMore(agent: Agent, left: readonly Delivery[], hints: { cli: TypingCli; config: Config }): Promise<boolean>
}

export function createTyping(deps: {
  readonly store: Store
  readonly multiplexer: Multiplexer
  readonly clock: Clock
  readonly log: Log
  readonly sleep: (milliseconds: number) => Promise<void>
}): Typing {
  const { store, multiplexer, clock, log, sleep } = deps

  const inTheWay = async (agent: Agent, paneId: PaneId, cli: TypingCli, config: Config): Promise<Gate> => {
    const now = clock()
    const state = stateGate({ ...agent, paneId }, cli, { typedAt: 0, patience: 0, now })
    return state.kind === 'closed'
      ? state
      : paneGate(await multiplexer.inspect(paneId), { agentId: agent.id, now, humanIdle: config.delivery.human_idle * 1000 })
  }

  const standing = async (paneId: PaneId): Promise<'dead' | 'gone' | 'busy'> => {
    const pane = await multiplexer.inspect(paneId)
    return pane === undefined ? 'gone' : pane.dead ? 'dead' : 'busy'
  }

  return {
    type: async (agent, paneId, text, { cli, config, progress }) => {
      const pasted = await multiplexer.paste(paneId, text)
      if (pasted.kind !== 'typed') return { kind: 'not_typed', reason: pasted.kind === 'busy' ? pasted.reason : 'its terminal is gone' }
      const at = clock()
      const until = at + config.delivery.ack_timeout * 1000
      // The text is in the box: from here only Enter is tried again, never the paste.
      for (let pause = cli.enterDelay; ; pause = Math.min(Math.max(pause, 50) * 2, 1000)) {
        await sleep(pause)
        const gate = await inTheWay((await store.agents.get(agent.id)) ?? agent, paneId, cli, config)
        const pressed = gate.kind === 'open' ? (await multiplexer.pressEnter(paneId)).kind : await standing(paneId)
        if (pressed === 'dead' || pressed === 'gone') return { kind: 'not_typed', reason: 'its program ended before Enter' }
        if (pressed === 'typed') return { kind: 'typed', at }
        if (await progress.confirmed()) return { kind: 'typed', at }
        if (progress.stopped()) return { kind: 'cut_off', at }
        if (clock() >= until)
          return { kind: 'stuck', at, reason: `typed, but not submitted: ${gate.kind === 'closed' ? gate.reason : 'the terminal was busy'}` }
      }
    },

    enterOnceMore: async (agent, left, { cli, config }) => {
      if (agent.paneId === null) return false
      try {
        if ((await inTheWay(agent, agent.paneId, cli, config)).kind === 'closed') return false
        const screen = await multiplexer.capture(agent.paneId)
        if (!left.some(({ id }) => shows(screen, id))) return false
        return (await multiplexer.pressEnter(agent.paneId)).kind === 'typed'
      } catch (error) {
        log.debug({ err: error, agent: agent.id }, 'the terminal could not be looked at')
        return false
      }
    },
  }
}
