import type { AgentCli } from '../adapters/agent-cli/agent-cli.ts'
import type { Multiplexer } from '../adapters/terminals/holder.ts'
import type { Store } from '../adapters/store/store.ts'
import type { Agent, Delivery } from '../domain/records.ts'
import type { Config } from '../config/schema.ts'
import type { Clock } from '../domain/clock.ts'
import type { AgentProbe } from '../core/agents/agent-probe.ts'
import type { PaneId } from '../domain/ids.ts'
import type { Log } from '../runtime/log.ts'
import { TRACE_LENGTH } from '../domain/panes/pane-trace.ts'
import { paneGate, probeGate, stateGate, type Gate } from './outbox-gate.ts'
import { shows } from './outbox-message.ts'

/** What the outbox needs to know of an agent’s program. */
export type OutboxCli = Pick<
  AgentCli,
  | 'acks'
  | 'inert'
  | 'reportsState'
  | 'enterDelay'
  | 'pasteLimit'
  | 'channel'
  | 'observe'
  | 'mentions'
  | 'inputLine'
  | 'contextLimit'
  | 'hasNoTerminal'
>

/**
 * `not_typed`: certainly not read by anybody. `stuck`: the text stands in the box, Enter could not
 * be pressed; `cut_off`: nor is it tried any more. `at`: time of the paste.
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

type Hints = { readonly cli: OutboxCli; readonly config: Config }

export interface Typing {
  /** Whether something may be pasted now: pane, program and the box for prompts are looked at. */
  mayPaste(agent: Agent, paneId: PaneId, hints: Hints): Promise<Gate>
  /**
   * Pastes, waits the program’s delay, looks again, presses Enter. Throws where the multiplexer
   * does not answer: the outcome is unknown.
   */
  type(
    agent: Agent,
    paneId: PaneId,
    text: string,
    hints: Hints & { batch: string; progress: Progress },
  ): Promise<Typed>
  /** How far this hand-over came in its terminal; undefined where that can’t be determined. */
  trace(agent: Agent, batch: string): Promise<'nothing' | 'pasted' | 'entered' | undefined>
  /** Whether one of these still stands on the screen; undefined where it can’t be looked at. */
  isShown(agent: Agent, left: readonly Delivery[], cli: OutboxCli): Promise<boolean | undefined>
  /**
   * Whether one of these stands in the box, not submitted; false where that can’t be determined.
   */
  isInBox(agent: Agent, left: readonly Delivery[], cli: OutboxCli): Promise<boolean>
  /** Enter, if nothing is in the way. */
  enterOnceMore(agent: Agent, hints: Hints & { batch: string }): Promise<boolean>
}

/**
 * What programs show in their box in the place of a paste of several lines:
 * `[Pasted Text: 6 lines]`, `[Pasted text #1 +5 lines]`, `[Pasted Content 1024 chars]`.
 */
const PLACEHOLDER = /\[Pasted [^\]\n]{1,40}\]/i

export function createTyping(deps: {
  readonly store: Store
  readonly multiplexer: Multiplexer
  readonly probe: AgentProbe
  readonly clock: Clock
  readonly log: Log
  readonly sleep: (milliseconds: number) => Promise<void>
}): Typing {
  const { store, multiplexer, probe, clock, log, sleep } = deps

  /**
   * Nothing is typed without this look immediately before: with a dialog open, Enter would approve
   * it.
   */
  const inTheWay = async (agent: Agent, paneId: PaneId, { cli, config }: Hints): Promise<Gate> => {
    const now = clock()
    const state = stateGate({ ...agent, paneId }, cli, { typedAt: 0, ackTimeout: 0, now })
    if (state.kind === 'closed') return state
    const pane = await multiplexer.inspect(paneId)
    const gate = paneGate(pane, {
      agentId: agent.id,
      now,
      humanIdle: config.delivery.human_idle * 1000,
    })
    // Where messages are typed at any time, a turn that is under way is no obstacle.
    const seen = gate.kind === 'open' ? await probe.observe(agent, cli, pane) : null
    return gate.kind === 'open' && (cli.reportsState || seen?.state !== 'running')
      ? probeGate(seen)
      : gate
  }

  /** A person’s half-written line would be submitted together with the message. */
  const boxGate = async (paneId: PaneId, cli: OutboxCli): Promise<Gate> => {
    const line =
      cli.inputLine === undefined ? 'empty' : cli.inputLine(await multiplexer.captureStyled(paneId))
    if (line === 'empty') return { kind: 'open' }
    return {
      kind: 'closed',
      reason:
        line === 'text'
          ? 'a half-written line stands in its box'
          : 'its box for prompts can’t be seen',
      watch: true,
    }
  }

  const standing = async (paneId: PaneId): Promise<'dead' | 'gone' | 'busy'> => {
    const pane = await multiplexer.inspect(paneId)
    return pane === undefined ? 'gone' : pane.dead ? 'dead' : 'busy'
  }

  return {
    mayPaste: async (agent, paneId, hints) => {
      const gate = await inTheWay(agent, paneId, hints)
      return gate.kind === 'open' ? boxGate(paneId, hints.cli) : gate
    },

    type: async (agent, paneId, text, { batch, progress, ...hints }) => {
      const { cli, config } = hints
      const pasted = await multiplexer.paste(paneId, text, batch)
      if (pasted.kind !== 'typed')
        return {
          kind: 'not_typed',
          reason: pasted.kind === 'busy' ? pasted.reason : 'its terminal is gone',
        }
      const at = clock()
      const until = at + config.delivery.ack_timeout * 1000
      // The text is in the box: from here only Enter is tried again, never the paste.
      for (let pause = cli.enterDelay; ; pause = Math.min(Math.max(pause, 50) * 2, 1000)) {
        await sleep(pause)
        const gate = await inTheWay((await store.agents.get(agent.id)) ?? agent, paneId, hints)
        const pressed =
          gate.kind === 'open'
            ? (await multiplexer.pressEnter(paneId, batch)).kind
            : await standing(paneId)
        if (pressed === 'dead' || pressed === 'gone')
          return { kind: 'not_typed', reason: 'its program ended before Enter' }
        if (pressed === 'typed') return { kind: 'typed', at }
        if (await progress.confirmed()) return { kind: 'typed', at }
        if (progress.stopped()) return { kind: 'cut_off', at }
        if (clock() >= until)
          return {
            kind: 'stuck',
            at,
            reason: `typed, but not submitted: ${gate.kind === 'closed' ? gate.reason : 'the terminal was busy'}`,
          }
      }
    },

    trace: async (agent, batch) => {
      if (agent.paneId === null) return undefined
      const pane = await multiplexer.inspect(agent.paneId)
      if (pane?.agentId !== agent.id || pane.pasted === undefined) return undefined
      const at = pane.pasted.lastIndexOf(batch)
      // So many came later that it may have been forgotten.
      if (at === -1) return pane.pasted.length < TRACE_LENGTH ? 'nothing' : undefined
      if (pane.entered === undefined) return undefined
      // Enter for one that was pasted behind it has submitted it as well.
      return pane.pasted.slice(at).some((key) => pane.entered?.includes(key)) ? 'entered' : 'pasted'
    },

    isShown: async (agent, left, cli) => {
      if (agent.paneId === null) return undefined
      try {
        const screen = await multiplexer.capture(agent.paneId)
        if (left.some(({ id }) => shows(screen, id))) return true
        // A person’s box was empty before the paste: what stands for a paste in it now is that
        // paste.
        return (
          PLACEHOLDER.test(screen) &&
          cli.inputLine?.(await multiplexer.captureStyled(agent.paneId)) === 'text'
        )
      } catch (error) {
        log.debug({ err: error, agent: agent.id }, 'the terminal could not be looked at')
        return undefined
      }
    },

    isInBox: async (agent, left, cli) => {
      if (agent.paneId === null || cli.inputLine === undefined) return false
      try {
        if (cli.inputLine(await multiplexer.captureStyled(agent.paneId)) !== 'text') return false
        const screen = await multiplexer.capture(agent.paneId)
        return PLACEHOLDER.test(screen) || left.some(({ id }) => shows(screen, id))
      } catch (error) {
        log.debug({ err: error, agent: agent.id }, 'the terminal could not be looked at')
        return false
      }
    },

    enterOnceMore: async (agent, hints) => {
      if (agent.paneId === null) return false
      try {
        if ((await inTheWay(agent, agent.paneId, hints)).kind === 'closed') return false
        return (await multiplexer.pressEnter(agent.paneId, hints.batch)).kind === 'typed'
      } catch (error) {
        log.debug({ err: error, agent: agent.id }, 'the terminal could not be looked at')
        return false
      }
    },
  }
}
