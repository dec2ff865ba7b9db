import { randomUUID } from 'node:crypto'
import type { Store } from '../adapters/store/store.ts'
import type { Delivery, StoredEvent } from '../domain/records.ts'
import type { AgentId, DeliveryId, Recipient } from '../domain/ids.ts'
import { inertText } from '../sanitize/inert.ts'
import { cliOf } from '../core/agents/programs.ts'
import type { OutboxControl } from '../core/deps.ts'
import { released } from './held.ts'
import { wakes } from './outbox-batching.ts'
import { composeMessage } from './outbox-message.ts'
import { createOutboxRecords } from './outbox-records.ts'
import { createWorker, type Worker, type WorkerDeps } from './outbox-worker.ts'
import { type Timers, realTimers } from './timers.ts'
import type { PublisherWithDeliveries } from './publisher.ts'
import { settledNews, withdraw } from './withdrawal.ts'
import { createPointedText, createWholeText } from './outbox-pointed.ts'
import { createOutboxRecovery } from './outbox-recovery.ts'

export interface Outbox extends OutboxControl {
  /** Settles what a crash hid, then hands over what waits, from now on whenever something does. */
  start(): Promise<void>
  /**
   * Of these the ones still queued, taken for the result of a tool call: delivered. The others went
   * another way.
   */
  settleByTool(ids: readonly DeliveryId[]): Promise<Delivery[]>
  /** Resolves when no hand-over is under way; messages may wait for their time. */
  settled(): Promise<void>
  /** Ends what is under way; what waits stays in the store. */
  stop(): Promise<void>
}

/**
 * Carries deliveries to agents, one worker per recipient. Those to the human stay in the store:
 * they are the inbox.
 */
export function createOutbox(
  options: Omit<WorkerDeps, 'records' | 'timers' | 'newBatch' | 'wake'> & {
    readonly publisher: PublisherWithDeliveries
    readonly timers?: Timers
    readonly store: Store
  },
): Outbox {
  const { store, publisher, clock } = options
  const records = createOutboxRecords(options)
  const workers = new Map<AgentId, Worker>()
  const stops: (() => void)[] = []
  let stopped = false
  /**
   * Until what the last daemon left is known, nothing is typed: it may stand in a box, and would be
   * typed over.
   */
  let recovered = false

  const deps: WorkerDeps = {
    ...options,
    timers: options.timers ?? realTimers,
    records,
    newBatch: randomUUID,
    wake: (recipient) => wake(recipient),
  }

  const workerOf = (id: AgentId): Worker => {
    const known = workers.get(id)
    if (known !== undefined) return known
    const worker = createWorker(id, deps)
    workers.set(id, worker)
    return worker
  }

  function wake(recipient?: Recipient): void {
    if (stopped || !recovered) return
    if (recipient === 'human') return
    if (recipient !== undefined) return workerOf(recipient).wake()
    for (const worker of workers.values()) worker.wake()
    store.outbox.counts(['queued']).then(
      (counts) => {
        for (const waiting of counts.keys())
          if (waiting !== 'human' && !workers.has(waiting)) wake(waiting)
      },
      (error: unknown) => options.log.warn({ err: error }, 'the outbox could not be read'),
    )
  }

  const stateChanged = (recipient: Recipient): void => {
    if (!stopped && recovered && recipient !== 'human') workerOf(recipient).stateChanged()
  }

  /** What its lead wants to know of it together with others may be complete now. */
  const siblingsSettled = (child: AgentId): void => {
    store.agents.get(child).then(
      (agent) => {
        if (agent?.parentId != null) stateChanged(agent.parentId)
      },
      (error: unknown) => options.log.warn({ err: error }, 'an agent could not be read'),
    )
  }

  const ack: Outbox['ack'] = async (agentId, ids) => {
    const { known, changed } = await records.acked(agentId, ids)
    if (changed.length > 0) workers.get(agentId)?.confirmed()
    return known
  }

  const pointed = createPointedText(options)
  const wholeText = createWholeText(options)
  const { recover, takeBackCutOff } = createOutboxRecovery({ ...options, records, workerOf })

  return {
    start: async () => {
      stops.push(
        publisher.onEnqueued((recipients) => recipients.forEach((recipient) => wake(recipient))),
        publisher.onEvent((event) => {
          if (event.agentId !== null && event.type === 'agent.state') {
            stateChanged(event.agentId)
            siblingsSettled(event.agentId)
          }
        }),
      )
      await recover()
      recovered = true
      wake()
    },
    wake: (recipient) => (recipient === undefined ? wake() : stateChanged(recipient)),
    ack,
    settleByTool: async (ids) => {
      const taken = await store.outbox.claim(ids, 'tool', randomUUID(), clock())
      for (const [recipient, deliveries] of Map.groupBy(taken, (delivery) => delivery.recipient)) {
        if (recipient === 'human') continue
        await records.handed(recipient, deliveries)
        await records.acked(
          recipient,
          deliveries.map(({ id }) => id),
        )
      }
      return taken
    },
    withdraw: async (agentId, subject, isReported, reason) => {
      const reasonOf = (event: StoredEvent, { recipient }: Delivery): string | undefined =>
        recipient === agentId && isReported(event) ? reason : undefined
      await store.transaction((tx) => withdraw({ ...options, tx }, subject, reasonOf))
    },
    takeForHook: async (agentId, { onlyIfWoken = false } = {}) => {
      const agent = await store.agents.get(agentId)
      await takeBackCutOff(agentId)
      const waiting = await store.outbox.list({ recipient: agentId, states: ['queued'] })
      const queued = await settledNews(store, await released(store, agentId, waiting))
      if (agent === undefined || queued.length === 0) return null
      if (onlyIfWoken && !queued.some(wakes)) return null
      const configured = await options.settings.snapshot()
      const { config } = configured
      const cli = cliOf(configured, agent)
      const acks = cli?.acks === true
      const inert = cli?.inert ?? inertText
      const maxChars = Math.min(config.delivery.max_chars, cli?.contextLimit ?? Infinity)
      const batch = randomUUID()
      const claimed = await store.outbox.claim(
        composeMessage(queued, { maxChars, acks, inert }).ids,
        'hook',
        batch,
        clock(),
      )
      if (claimed.length === 0) return null
      const taken = new Set(claimed.map(({ id }) => id))
      const { text } = composeMessage(
        queued.filter(({ id }) => taken.has(id)),
        { maxChars, acks, inert },
      )
      await records.handed(agentId, claimed)
      if (acks) workerOf(agentId).expect(config, batch, 'hook')
      return text
    },
    promptArrived: async (agentId, ids, { unanswered = false } = {}) => {
      const whole = await pointed(agentId, ids)
      if (whole === null || (!whole.provable && !unanswered)) {
        await ack(agentId, [...ids, ...(whole?.ids ?? [])])
        return whole?.text ?? null
      }
      for (const batch of whole.batches) {
        const sent = await store.outbox.list({ batch, recipient: agentId, states: ['sent'] })
        if (unanswered)
          await records.requeue(sent, clock(), 'only a line that points to it had arrived')
        else workerOf(agentId).submitted(batch)
        ids = ids.filter((id) => !sent.some((delivery) => delivery.id === id))
      }
      await ack(agentId, ids)
      if (unanswered) wake(agentId)
      return unanswered ? null : whole.text
    },
    looked: (agentId) => workers.get(agentId)?.lookUp(),
    read: async (agentId, id) => {
      const whole = await wholeText(agentId, id as DeliveryId)
      if (whole !== undefined) await ack(agentId, whole.ids)
      return whole?.text
    },
    settled: async () => {
      await Promise.all([...workers.values()].map((worker) => worker.settled()))
    },
    stop: async () => {
      stopped = true
      for (const stop of stops.splice(0).reverse()) stop()
      for (const worker of workers.values()) worker.stop()
      await Promise.all([...workers.values()].map((worker) => worker.settled()))
    },
  }
}
