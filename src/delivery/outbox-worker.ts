import { inertText } from '../sanitize/inert.ts'
import type { Multiplexer, Pane } from '../adapters/terminals/holder.ts'
import type { Store } from '../adapters/store/store.ts'
import type { Agent, Delivery, Lane } from '../domain/records.ts'
import type { Config } from '../config/schema.ts'
import type { Clock } from '../domain/clock.ts'
import type { AgentProbe } from '../core/agents/agent-probe.ts'
import { cliOf } from '../core/agents/programs.ts'
import type { Settings } from '../core/deps.ts'
import type { AgentId, Recipient } from '../domain/ids.ts'
import type { Log } from '../runtime/log.ts'
import { isReachable } from './event-tree.ts'
import { batchedUntil, wakes } from './outbox-batching.ts'
import { released } from './held.ts'
import { channelGate, lifeGate, stateGate } from './outbox-gate.ts'
import { createHandOver } from './outbox-hand-over.ts'
import { createProof } from './outbox-proof.ts'
import type { OutboxRecords } from './outbox-records.ts'
import { createTyping, type OutboxCli } from './outbox-typing.ts'
import { newUnconfirmed } from './outbox-unconfirmed.ts'
import { isDead } from './router.ts'
import { settledNews } from './withdrawal.ts'
import type { Timers } from './timers.ts'
import { createWorkerPacing, earlier } from './outbox-pacing.ts'

export interface WorkerDeps {
  readonly store: Store
  readonly multiplexer: Multiplexer
  readonly probe: AgentProbe
  readonly records: OutboxRecords
  readonly settings: Pick<Settings, 'snapshot'>
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
  /** The same where there is something to look for, as far as is known: what is new wakes. */
  stateChanged(): void
  /** A hand-over by another lane, or (`found`) one that a start found unconfirmed. */
  expect(config: Config, batch: string, lane: Lane, found?: 'found'): void
  /**
   * The line that points to this hand-over was submitted, and its hook is answered with the
   * message.
   */
  submitted(batch: string): void
  /** A confirmation came. */
  confirmed(): void
  /** Something happened in the agent’s program: what is unconfirmed may have arrived. */
  lookUp(): void
  /** Resolves when nothing is being done; timers may be set. */
  settled(): Promise<void>
  stop(): void
}

/** What a program without an adapter is taken for. */
const PLAIN: OutboxCli = {
  acks: false,
  inert: inertText,
  reportsState: false,
  enterDelay: 50,
  pasteLimit: null,
  channel: null,
}
/** At once: there may be more to do. */
const NOW = 0
/**
 * After a start, until what it found unconfirmed is looked into: by then a program has written down
 * what it took. Milliseconds.
 */
const FOUND = 3000

/**
 * Hands over what waits for one agent, one message at a time:
 *
 *   nothing waits ──wake──▶ look: dead → all of it goes to the next in line
 *                                 the program has a channel, and is idle or takes messages mid-turn → claim ─▶ send ─▶ handed
 *                                 closed (not idle, a person types, …) → look again when that may have changed
 *                                 open → claim ─▶ paste ─▶ delay ─▶ look again ─▶ Enter ─▶ handed
 *   handed, and the program confirms → nothing is typed before it did, or before proof (outbox-proof.ts) has settled what became of it
 */
export function createWorker(id: AgentId, deps: WorkerDeps): Worker {
  const { store, multiplexer, records, clock, log, timers } = deps
  const typing = createTyping({
    ...deps,
    sleep: (milliseconds) => new Promise((resolve) => void timers.after(milliseconds, resolve)),
  })
  const pacing = createWorkerPacing(id, deps)
  const proof = createProof({ ...deps, typing })
  const handOver = createHandOver({ ...deps, proof, typing, stopped: () => stopped })
  let running: Promise<void> | undefined
  let hasNothing = false
  let again = false
  let woken = false
  let stopped = false
  let cancelTimer = (): void => {}
  let channelNotBefore = 0
  let typedAt = 0

  /** By the program’s own channel. Undefined where the terminal has to do. */
  const tryChannel = async (
    agent: Agent,
    pane: Pane | undefined,
    cli: OutboxCli,
    config: Config,
    queued: readonly Delivery[],
  ) => {
    const { channel } = cli
    const now = clock()
    if (channel === null || now < channelNotBefore) return undefined
    if (
      channelGate(agent, channel, { typedAt, ackTimeout: config.delivery.ack_timeout * 1000, now })
        .kind === 'closed'
    )
      return undefined
    if (lifeGate(pane, id).kind === 'closed') return undefined
    // What may stand in the box, or may have been accepted, comes first.
    if (
      [...proof.unconfirmed.values()].some(
        ({ lane, phase }) => lane === 'pane' || phase.name === 'under_way',
      )
    )
      return undefined
    const handed = await handOver.byChannel(agent, pane, queued, { cli, channel, config })
    if (handed.kind === 'refused') {
      log.debug({ agent: id, reason: handed.reason }, 'the program’s channel refused a message')
      channelNotBefore = clock() + config.delivery.retry_initial * 1000
      return undefined
    }
    if (handed.kind === 'handed' && handed.at !== null && agent.state === 'idle')
      typedAt = handed.at
    // Not every program has a hook for what comes this way.
    proof.lookUp()
    return NOW
  }

  const typeInto = async (
    agent: Agent,
    pane: Pane | undefined,
    cli: OutboxCli,
    config: Config,
    queued: readonly Delivery[],
  ): Promise<number> => {
    const { paneId } = agent
    const state = stateGate(agent, cli, {
      typedAt,
      ackTimeout: config.delivery.ack_timeout * 1000,
      now: clock(),
    })
    if (state.kind === 'closed' || paneId === null) {
      // Whoever waits for its turn to end finds out where nobody reports it.
      if (state.kind === 'closed' && state.watch === true)
        await deps.probe.observe(agent, cli, pane)
      return pacing.waitFor(
        state.kind === 'closed' ? state : { kind: 'closed', reason: 'no terminal' },
        cli,
        config,
      )
    }
    // Its channel refused; there is nothing to type into.
    if (cli.hasNoTerminal === true)
      return pacing.waitFor(
        { kind: 'closed', reason: 'its session takes no message now', soon: true },
        cli,
        config,
      )
    const gate = await typing.mayPaste(agent, paneId, { cli, config })
    if (gate.kind === 'closed') return pacing.waitFor(gate, cli, config)
    const handed = await handOver.byPane(agent, paneId, queued, { cli, config })
    if (handed.kind === 'refused') return pacing.backOff(config)
    if (handed.kind === 'handed') {
      typedAt = handed.at ?? typedAt
      pacing.handed()
    }
    return NOW
  }

  /** One look. Returns when to look again without being woken; undefined: only when woken. */
  const look = async (): Promise<number | undefined> => {
    // So it is with most changes of most agents’ states.
    hasNothing =
      proof.unconfirmed.size === 0 &&
      (await store.outbox.list({ recipient: id, states: ['queued', 'sent'], limit: 1 })).length ===
        0
    if (hasNothing) return undefined
    const agent = await store.agents.get(id)
    const configured = await deps.settings.snapshot()
    const { config } = configured
    const cli: OutboxCli = (agent === undefined ? undefined : cliOf(configured, agent)) ?? PLAIN
    // A root that `exomonad down` stopped will be started again and gets its messages then.
    if (
      agent === undefined ||
      isDead(agent.state) ||
      (!isReachable(agent) && agent.stateSource !== 'human')
    ) {
      if (agent !== undefined) await proof.settleLast(agent, cli)
      const to = await records.abandon(id, cli.acks)
      if (to !== null) deps.wake(to)
      return undefined
    }
    await proof.settle(agent, cli, config)
    const waiting = await store.outbox.list({ recipient: id, states: ['queued'] })
    if (waiting.length === 0) return proof.nextDue()
    if (clock() < pacing.notBefore()) return earlier(pacing.notBefore(), proof.nextDue())
    const free = waiting.some(wakes) ? await released(store, id, waiting) : []
    if (!free.some(wakes)) return proof.nextDue()
    const queued = await settledNews(store, free)
    if (!queued.some(wakes)) return earlier(pacing.lookAgain(), proof.nextDue())
    const within = config.attention.batch_within * 1000
    const batched = batchedUntil(queued, { now: clock(), within })
    if (agent.state === 'idle' && clock() < batched) return earlier(batched, proof.nextDue())
    const pane = agent.paneId === null ? undefined : await multiplexer.inspect(agent.paneId)
    const sent = await tryChannel(agent, pane, cli, config, queued)
    if (sent !== undefined) return sent
    if (proof.unconfirmed.size > 0) return proof.nextDue()
    const due = await typeInto(agent, pane, cli, config, queued)
    return channelNotBefore > clock() ? earlier(due, channelNotBefore) : due
  }

  const run = async (): Promise<void> => {
    let due: number | undefined
    do {
      again = false
      // What a wake announces may have come after this look’s predecessor read it, which then set a
      // wait.
      if (woken) pacing.reset()
      woken = false
      due = await look().catch((error: unknown) => {
        log.warn({ err: error, agent: id }, 'messages could not be handed over; it is tried again')
        return pacing.afterFault()
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

  const wake = (): void => {
    woken = true
    proof.lookUp()
    start()
  }

  return {
    wake,
    stateChanged: () => {
      if (!hasNothing || running !== undefined) wake()
    },
    expect: (config, batch, lane, found) => {
      const ackTimeout = config.delivery.ack_timeout * 1000
      const now = clock()
      // A daemon that is killed again and again would never reach its deadline.
      proof.unconfirmed.set(
        batch,
        newUnconfirmed(
          lane,
          found === undefined
            ? { name: 'awaited', dueAt: now + ackTimeout }
            : {
                name: 'found',
                dueAt: now + Math.min(ackTimeout, FOUND),
                undecidedAfter: now + ackTimeout,
              },
        ),
      )
      start()
    },
    submitted: (batch) => {
      const expected = proof.unconfirmed.get(batch)
      if (expected !== undefined) expected.submitted = true
      proof.lookUp()
    },
    confirmed: start,
    lookUp: () => {
      proof.lookUp()
      start()
    },
    settled: async () => {
      while (running !== undefined) await running
    },
    stop: () => {
      stopped = true
      cancelTimer()
    },
  }
}
