import type { AgentCli } from '../adapters/agent-cli/agent-cli.ts'
import type { Multiplexer } from '../adapters/multiplexer/multiplexer.ts'
import type { Agent, Delivery, Lane, Store } from '../adapters/store/store.ts'
import type { Config } from '../config/schema.ts'
import type { Clock } from '../core/clock.ts'
import type { AgentId, DeliveryId, PaneId, Recipient } from '../ids.ts'
import type { Log } from '../log.ts'
import { isReachable } from './event-tree.ts'
import { paneGate, stateGate, type Gate } from './outbox-gate.ts'
import { composeMessage, MEANT_FOR } from './outbox-message.ts'
import type { OutboxRecords } from './outbox-records.ts'
import { createTyping, type TypingCli } from './outbox-typing.ts'
import { isDead } from './router.ts'

/** Real time, replaceable in tests. */
export interface Timers {
  /** Calls once after that many milliseconds; answers how to cancel. */
  after(milliseconds: number, callback: () => void): () => void
}

export interface WorkerDeps {
  readonly store: Store
  readonly multiplexer: Multiplexer
  readonly records: OutboxRecords
  readonly agentCliOf: (agent: Agent) => Promise<AgentCli | undefined> | AgentCli | undefined
  readonly config: () => Promise<Config> | Config
  readonly clock: Clock
  readonly log: Log
  readonly timers: Timers
  readonly newBatch: () => string
  /** Somebody else has something waiting now. */
  readonly wake: (recipient: Recipient) => void
}

export interface Worker {
  /** Look at once, whatever was waited for. */
  wake(): void
  /** A hand-over to wait for: after a start, or by another lane. */
  expect(batch: string, lane: Lane): Promise<void>
  /** A confirmation came. */
  confirmed(): void
  /** Resolves when nothing is being done; timers may be set. */
  settled(): Promise<void>
  stop(): void
}

/** A hand-over that has not been confirmed. `dueAt`: when it counts as undecided; infinite while it is under way. */
interface Unconfirmed {
  readonly lane: Lane
  dueAt: number
  enteredAgain: boolean
}

/** What a program without an adapter is taken for. */
const PLAIN: TypingCli = { acks: false, reportsState: false, enterDelay: 50 }
/** At once: there may be more to do. */
const NOW = 0

/**
 * Hands over what waits for one agent, one message at a time:
 *
 *   nothing waits ──wake──▶ look: dead → all of it goes to the next in line
 *                                 closed (not idle, a person types, …) → look again when that may have changed
 *                                 open → claim ─▶ paste ─▶ delay ─▶ look again ─▶ Enter ─▶ handed
 *   handed, and the program confirms → no further message before it did, or the time for it is over: Enter once more if the
 *   message still stands on the screen, then undecided. What was pasted is never pasted again.
 */
export function createWorker(id: AgentId, deps: WorkerDeps): Worker {
  const { store, multiplexer, records, clock, log, timers } = deps
  const typing = createTyping({ ...deps, sleep: (milliseconds) => new Promise((resolve) => void timers.after(milliseconds, resolve)) })
  const unconfirmed = new Map<string, Unconfirmed>()
  let running: Promise<void> | undefined
  let again = false
  let stopped = false
  let cancelTimer = (): void => {}
  let notBefore = 0
  let delay = 0
  let typedAt = 0

  const backOff = (config: Config): number => {
    delay = Math.min(delay === 0 ? config.delivery.retry_initial : delay * 2, config.delivery.retry_max)
    notBefore = clock() + delay * 1000
    return notBefore
  }
  const waitFor = (gate: Extract<Gate, { kind: 'closed' }>, config: Config): number => {
    log.debug({ agent: id, reason: gate.reason }, 'messages wait')
    if (gate.soon === true) return backOff(config)
    notBefore = Math.max(gate.retryAt ?? clock() + config.delivery.retry_max * 1000, clock() + 1)
    return notBefore
  }

  /** Back to where they were; whom they were meant for is not forgotten. */
  const requeue = async (claimed: readonly Delivery[], queued: readonly Delivery[], reason: string): Promise<void> => {
    const before = new Map(queued.map((delivery) => [delivery.id, delivery.why]))
    const why = (delivery: Delivery): string => (before.get(delivery.id)?.startsWith(MEANT_FOR) ? (before.get(delivery.id) ?? reason) : reason)
    for (const [because, group] of Map.groupBy(claimed, why)) await store.outbox.requeue(idsOf(group), notBefore, because)
  }

  const handOver = async (agent: Agent, paneId: PaneId, cli: TypingCli, config: Config, queued: readonly Delivery[]): Promise<number> => {
    const options = { maxChars: config.delivery.max_chars, acks: cli.acks }
    const batch = deps.newBatch()
    const claimed = await store.outbox.claim(composeMessage(queued, options).ids, 'pane', batch, clock())
    if (claimed.length === 0) return NOW
    const taken = new Set(idsOf(claimed))
    const { text } = composeMessage(
      queued.filter((delivery) => taken.has(delivery.id)),
      options,
    )
    const expected: Unconfirmed = { lane: 'pane', dueAt: Infinity, enteredAgain: false }
    unconfirmed.set(batch, expected)
    const progress = {
      confirmed: async () => cli.acks && (await store.outbox.list({ batch, states: ['sent'] })).length === 0,
      stopped: () => stopped,
    }
    try {
      const typed = await typing.type(agent, paneId, text, { cli, config, progress })
      if (typed.kind === 'not_typed') {
        unconfirmed.delete(batch)
        const retryAt = backOff(config)
        await requeue(claimed, queued, typed.reason)
        return retryAt
      }
      typedAt = typed.at
      delay = 0
      // The next start finds it, and looks whether it arrived.
      if (typed.kind === 'cut_off') return NOW
      if (typed.kind === 'stuck') {
        unconfirmed.delete(batch)
        await records.undecided(agent, claimed, typed.reason)
        return NOW
      }
      await records.handed(id, claimed)
      if (!cli.acks) unconfirmed.delete(batch)
    } catch (error) {
      // Whether it was typed can't be told: it is not typed again, and a confirmation may still come.
      log.warn({ err: error, agent: id }, 'a message may or may not have been typed')
    }
    expected.dueAt = clock() + config.delivery.ack_timeout * 1000
    return NOW
  }

  const settleOverdue = async (agent: Agent, cli: TypingCli, config: Config): Promise<void> => {
    for (const [batch, expected] of unconfirmed) {
      const left = (await store.outbox.list({ batch, states: ['sent'] })).filter(({ recipient }) => recipient === id)
      if (left.length === 0) {
        unconfirmed.delete(batch)
        continue
      }
      if (clock() < expected.dueAt) continue
      const repeatable = !expected.enteredAgain && cli.acks && expected.lane === 'pane'
      if (repeatable && (await typing.enterOnceMore(agent, left, { cli, config }))) {
        expected.enteredAgain = true
        expected.dueAt = clock() + config.delivery.ack_timeout * 1000
        const unnoted = left.filter(({ handedAt }) => handedAt === null)
        if (unnoted.length > 0) await records.handed(id, unnoted)
        continue
      }
      unconfirmed.delete(batch)
      const cutOff = left.every(({ handedAt }) => handedAt === null)
      await records.undecided(
        agent,
        left,
        cutOff ? 'it was cut off while it was typed' : `it was handed over, and not confirmed within ${config.delivery.ack_timeout} s`,
      )
    }
  }

  /** One look. Answers when to look again without being woken; undefined: only when woken. */
  const look = async (): Promise<number | undefined> => {
    const agent = await store.agents.get(id)
    const cli = (agent === undefined ? undefined : await deps.agentCliOf(agent)) ?? PLAIN
    // A root that `exomonad down` stopped will be started again and gets its messages then.
    if (agent === undefined || isDead(agent.state) || (!isReachable(agent) && agent.stateSource !== 'human')) {
      unconfirmed.clear()
      const to = await records.abandon(id, cli.acks)
      if (to !== null) deps.wake(to)
      return undefined
    }
    const config = await deps.config()
    await settleOverdue(agent, cli, config)
    if (unconfirmed.size > 0) return Math.min(...[...unconfirmed.values()].map(({ dueAt }) => dueAt))
    const queued = await store.outbox.list({ recipient: id, states: ['queued'] })
    if (queued.length === 0) return undefined
    const now = clock()
    if (now < notBefore) return notBefore
    const { paneId } = agent
    const state = stateGate(agent, cli, { typedAt, patience: config.delivery.ack_timeout * 1000, now })
    if (state.kind === 'closed' || paneId === null) return waitFor(state.kind === 'closed' ? state : { kind: 'closed', reason: 'no terminal' }, config)
    const pane = paneGate(await multiplexer.inspect(paneId), { agentId: id, now, humanIdle: config.delivery.human_idle * 1000 })
    return pane.kind === 'closed' ? waitFor(pane, config) : handOver(agent, paneId, cli, config, queued)
  }

  const run = async (): Promise<void> => {
    let due: number | undefined
    do {
      again = false
      due = await look().catch((error: unknown) => {
        log.warn({ err: error, agent: id }, 'messages could not be handed over; it is tried again')
        delay = Math.min(Math.max(delay * 2, 1), 60)
        return clock() + delay * 1000
      })
    } while (!stopped && (again || due === NOW))
    if (!stopped && due !== undefined) cancelTimer = timers.after(Math.max(due - clock(), 1), start)
  }

  function start(): void {
    if (stopped) return
    again = true
    cancelTimer()
    running ??= run().finally(() => {
      running = undefined
      if (again) start()
    })
  }

  return {
    wake: () => {
      notBefore = 0
      delay = 0
      start()
    },
    expect: async (batch, lane) => {
      const config = await deps.config()
      unconfirmed.set(batch, { lane, dueAt: clock() + config.delivery.ack_timeout * 1000, enteredAgain: false })
      start()
    },
    confirmed: start,
    settled: async () => {
      while (running !== undefined) await running
    },
    stop: () => {
      stopped = true
      cancelTimer()
    },
  }
}

const idsOf = (deliveries: readonly Delivery[]): DeliveryId[] => deliveries.map(({ id }) => id)
