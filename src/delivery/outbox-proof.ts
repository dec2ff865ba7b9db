import type { Store } from '../adapters/store/store.ts'
import type { Agent, Delivery } from '../domain/records.ts'
import type { Config } from '../config/schema.ts'
import type { Clock } from '../domain/clock.ts'
import { isAtDialog } from '../core/agents/dialog.ts'
import type { AgentProbe } from '../core/agents/agent-probe.ts'
import { handOverOf, stateOf } from '../domain/delivery-state.ts'
import type { DeliveryId } from '../domain/ids.ts'
import { NOT_ARRIVED } from './outbox-message.ts'
import type { OutboxRecords } from './outbox-records.ts'
import type { OutboxCli, Typing } from './outbox-typing.ts'
import { boxAtOf, dueAtOf, postpone, type Unconfirmed } from './outbox-unconfirmed.ts'
import type { Multiplexer } from '../adapters/terminals/holder.ts'

/** Hand-overs of one agent, by batch, and what proves that they arrived. */
export interface Proof {
  readonly unconfirmed: Map<string, Unconfirmed>
  /** When the first of them is due; undefined where none is. */
  nextDue(): number | undefined
  /** Looks them up at the next `settle`, due or not. */
  lookUp(): void
  /**
   * Settles what can be settled:
   *
   *   its id stands in the conversation → acked
   *   typed a moment ago, and it still stands in the box → Enter again
   *   due: its terminal never got it → it waits again
   *        its terminal shows something else than a prompt, which it may have gone into → later; nothing is concluded before that is gone
   *        its terminal can’t be distinguished from a prompt, and the program gave no sign since → the same, until it gives one
   *        its terminal got it, and Enter was never pressed → Enter, once; it was, and the program confirms nothing → handed over
   *        still at work, and its conversation can be read → later; nothing is concluded before the turn is over
   *        it stands on the screen → Enter, once
   *        the conversation lacks it, and so does the screen → it is gone: it waits again, once
   *        only a line that points to it was submitted → the same; where its conversation can’t be read, the hook’s answer brought it
   *        otherwise → undecided
   */
  settle(agent: Agent, cli: OutboxCli, config: Config): Promise<void>
  /** Of an agent that ended: what its conversation shows to have arrived. */
  settleLast(agent: Agent, cli: OutboxCli): Promise<void>
}

type Hints = {
  readonly cli: OutboxCli
  readonly config: Config
  readonly batch: string
  readonly readable: boolean
}

/** What became of a hand-over that was due; the names say it of its deliveries. */
type Fate = 'later' | 'acked' | 'submitted' | 'never_typed' | 'gone' | 'undecided'

/**
 * Looks at a conversation are this far apart at least, and this close while something is due.
 * Milliseconds.
 */
const LOOK_EVERY = 250
const WHILE_BUSY = 3000
/** After Enter, until the box is looked at: by then a program has taken what was submitted. */
export const BOX = 1500

export function createProof(deps: {
  readonly store: Store
  readonly records: OutboxRecords
  readonly probe: AgentProbe
  readonly multiplexer: Multiplexer
  readonly typing: Typing
  readonly clock: Clock
}): Proof {
  const { store, records, probe, multiplexer, typing, clock } = deps
  const unconfirmed = new Map<string, Unconfirmed>()
  /** Sent a second time, because they were gone: not a third. Those that keep another reason. */
  const repeated = new Set<DeliveryId>()
  const isRepeated = ({ id, why }: Delivery): boolean => why === NOT_ARRIVED || repeated.has(id)
  let wanted = false
  let lookedAt = 0

  const does = async (agent: Agent, cli: OutboxCli): Promise<'rests' | 'works' | 'at a dialog'> => {
    // Without a terminal there is no program that could still take it.
    if (agent.paneId === null) return 'rests'
    const pane = await multiplexer.inspect(agent.paneId)
    const seen = await probe.observe(agent, cli, pane)
    if (seen?.state === 'waiting' || isAtDialog(agent)) return 'at a dialog'
    return agent.state === 'idle' && (seen === null || seen.state === 'idle') ? 'rests' : 'works'
  }

  /**
   * It reports its turns, its screen can’t be read, and it has reported none since: whatever that
   * shows, it may have gone into it.
   */
  const isUnanswered = (agent: Agent, left: readonly Delivery[], cli: OutboxCli): boolean =>
    cli.acks &&
    cli.reportsState &&
    cli.inputLine === undefined &&
    left.every((each) => agent.lastSeenAt < (handOverOf(stateOf(each))?.claimedAt ?? 0))

  /**
   * Under load a program takes Enter for a part of the paste; and what was submitted may have
   * opened a dialog.
   */
  const lookAtBox = async (
    agent: Agent,
    left: readonly Delivery[],
    expected: Unconfirmed,
    hints: Hints,
  ): Promise<void> => {
    const { phase, submitted } = expected
    if (phase.name !== 'in_box') return
    expected.phase = { ...phase, boxAt: clock() + Math.max(clock() - phase.typedAt, BOX) }
    const rests = (await does(agent, hints.cli)) === 'rests'
    if (rests && !submitted && (await typing.isInBox(agent, left, hints.cli)))
      await typing.enterOnceMore(agent, hints)
  }

  const decide = async (
    agent: Agent,
    left: readonly Delivery[],
    expected: Unconfirmed,
    hints: Hints,
  ): Promise<Fate> => {
    const { cli, config, readable, batch } = hints
    const isNoted = !left.every(isClaimed)
    const trace =
      expected.lane === 'pane' && !isNoted ? await typing.trace(agent, batch) : undefined
    if (trace === 'nothing') return 'never_typed'
    // Nobody will confirm it: more than that it was submitted can't be known.
    if (trace === 'entered' && !cli.acks) return 'submitted'
    const ackTimeout = config.delivery.ack_timeout * 1000
    if (expected.submitted && !readable) return 'acked'
    const byChannel = expected.lane === 'channel' || expected.lane === 'acp'
    const inItsHands = byChannel || expected.lane === 'hook'
    const doing = readable || expected.lane === 'pane' ? await does(agent, cli) : undefined
    const isHeldUp = expected.lane === 'pane' && doing === 'at a dialog'
    if (
      isHeldUp ||
      (readable && doing !== 'rests') ||
      (inItsHands && agent.state !== 'idle' && cli.reportsState)
    )
      return postpone(expected, clock() + Math.min(ackTimeout, WHILE_BUSY))
    // What Enter was never pressed for is in its box, and nowhere else.
    if (
      expected.lane === 'pane' &&
      trace !== 'pasted' &&
      !expected.unanswered &&
      isUnanswered(agent, left, cli)
    ) {
      expected.unanswered = true
      postpone(expected, clock() + ackTimeout)
      await probe.unanswered(agent)
      return 'later'
    }
    if (expected.submitted) return left.some(isRepeated) ? 'undecided' : 'gone'
    const shown =
      expected.lane === 'pane' && cli.acks && agent.paneId !== null
        ? await typing.isShown(agent, left, cli)
        : false
    // Of a program whose box can be seen, that decides: a person may have emptied it.
    const waitsForEnter = trace === 'pasted' && cli.inputLine === undefined && !readable
    if (waitsForEnter && cli.reportsState && agent.state !== 'idle')
      return postpone(expected, clock() + Math.min(ackTimeout, WHILE_BUSY))
    const stands = shown === true || waitsForEnter
    if (stands && !expected.enteredAgain && (await typing.enterOnceMore(agent, hints))) {
      if (!cli.acks) return 'submitted'
      expected.enteredAgain = true
      postpone(expected, clock() + ackTimeout)
      const unnoted = left.filter(isClaimed)
      if (unnoted.length > 0) await records.handed(agent.id, unnoted)
      return 'later'
    }
    const undecidedAfter = expected.phase.name === 'found' ? expected.phase.undecidedAfter : 0
    const early = clock() < undecidedAfter
    const isGone = readable && shown === false && !left.some(isRepeated) && !(early && isNoted)
    // What a channel accepted is in the program’s hands, wherever it keeps it.
    if (isGone && !(byChannel && isNoted)) return 'gone'
    return early ? postpone(expected, undecidedAfter) : 'undecided'
  }

  /** Writes down what became of it. */
  const settled = async (
    agent: Agent,
    left: readonly Delivery[],
    { phase }: Unconfirmed,
    { fate, config }: { fate: Exclude<Fate, 'later'>; config: Config },
  ): Promise<void> => {
    switch (fate) {
      case 'acked':
        await records.acked(agent.id, idsOf(left))
        return
      case 'submitted':
        return records.handed(agent.id, left)
      case 'never_typed':
        return records.requeue(left, clock(), 'it had not reached its terminal')
      case 'gone':
        for (const { id } of left) repeated.add(id)
        return records.requeue(left, clock(), NOT_ARRIVED)
      case 'undecided': {
        const how = left.every(isClaimed)
          ? 'it was cut off while it was handed over'
          : `it was handed over, and not confirmed within ${config.delivery.ack_timeout} s`
        return records.undecided(agent, left, phase.name === 'stuck' ? phase.reason : how)
      }
    }
  }

  return {
    unconfirmed,
    nextDue: () => {
      if (unconfirmed.size === 0) return undefined
      const due = Math.min(
        ...[...unconfirmed.values()].map(({ phase }) => Math.min(dueAtOf(phase), boxAtOf(phase))),
      )
      return wanted ? Math.min(due, lookedAt + LOOK_EVERY) : due
    },
    lookUp: () => (wanted = true),

    settleLast: async (agent, cli) => {
      unconfirmed.clear()
      const left =
        cli.mentions === undefined
          ? []
          : await store.outbox.list({ recipient: agent.id, states: ['sent'] })
      const found = await probe.mentions(agent, cli, idsOf(left))
      if (found !== null && found.size > 0) await records.acked(agent.id, [...found])
    },

    settle: async (agent, cli, config) => {
      const looks = wanted && clock() >= lookedAt + LOOK_EVERY
      if (looks) [wanted, lookedAt] = [false, clock()]
      for (const [batch, expected] of unconfirmed) {
        let left = (await store.outbox.list({ batch, states: ['sent'] })).filter(
          ({ recipient }) => recipient === agent.id,
        )
        const due = clock() >= dueAtOf(expected.phase)
        const found =
          left.length > 0 && (looks || due) ? await probe.mentions(agent, cli, idsOf(left)) : null
        if (found !== null && found.size > 0) {
          await records.acked(agent.id, idsOf(left.filter(({ id }) => found.has(id))))
          left = left.filter(({ id }) => !found.has(id))
        }
        if (left.length === 0) unconfirmed.delete(batch)
        if (left.length === 0) continue
        const hints = { cli, config, batch, readable: found !== null }
        if (!due && clock() >= boxAtOf(expected.phase))
          await lookAtBox(agent, left, expected, hints)
        if (!due) continue
        const fate = await decide(agent, left, expected, hints)
        if (fate === 'later') continue
        unconfirmed.delete(batch)
        await settled(agent, left, expected, { fate, config })
      }
    },
  }
}

const isClaimed = (delivery: Delivery): boolean => stateOf(delivery).name === 'claimed'
const idsOf = (deliveries: readonly Delivery[]): DeliveryId[] => deliveries.map(({ id }) => id)
