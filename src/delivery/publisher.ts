import type { StoreTransaction, Store } from '../adapters/store/store.ts'
import type { Agent, StoredEvent } from '../domain/records.ts'
import type { Clock } from '../domain/clock.ts'
import { ExomonadError } from '../domain/errors.ts'
import type { AgentId, DeliveryId, Recipient } from '../domain/ids.ts'
import type { Log } from '../runtime/log.ts'
import { dedupeKeyOf, EVENTS, type NewEvent } from '../events/event.ts'
import { agentsAround, asRoutingTree, contextOf } from './event-tree.ts'
import type { Publisher } from '../events/publish.ts'
import { RAW } from './outbox-message.ts'
import type { Renderer } from './render/render.ts'
import { filedBranches } from '../core/pulls/pull-records.ts'
import { route, ROUTED_TYPES } from './router.ts'
import { isState, subjectOf, withdraw } from './withdrawal.ts'

export interface PublisherWithDeliveries extends Publisher {
  /** Called after the commit with those who have something new waiting. Returns how to stop. */
  onEnqueued(listener: (recipients: readonly Recipient[]) => void): () => void
}

/** A person’s words, which its agent’s program is to take as if they had been typed. */
const isRaw = ({ type, actor, payload }: StoredEvent): boolean =>
  type === 'message' && actor === 'human' && payload['raw'] === true

/**
 * The publisher: append, route, render and enqueue in one transaction; listeners and outbox are
 * notified once that is durable.
 */
export function createPublisher(deps: {
  readonly store: Store
  readonly renderer: Renderer
  readonly clock: Clock
  readonly log: Log
  readonly newDeliveryId: () => DeliveryId
}): PublisherWithDeliveries {
  const { store, renderer, clock, log, newDeliveryId } = deps
  const listeners = new Set<(event: StoredEvent) => void>()
  const enqueuedListeners = new Set<(recipients: readonly Recipient[]) => void>()

  /** One listener’s fault is not another’s loss. */
  const notify = <T>(all: ReadonlySet<(value: T) => void>, value: T): void => {
    for (const listener of [...all]) {
      try {
        listener(value)
      } catch (error) {
        log.error({ err: error }, 'a listener failed')
      }
    }
  }

  /**
   * Older news of the same that still waits for these; of a base that is green again, for anybody.
   */
  const supersede = async (
    tx: StoreTransaction,
    { seq, type }: StoredEvent,
    subject: string,
    recipients: readonly Recipient[],
  ): Promise<void> => {
    const isOlder = (event: StoredEvent, to: Recipient): boolean =>
      event.seq < seq &&
      ((event.type === type && recipients.includes(to)) ||
        (type === 'base.green' && event.type === 'base.red'))
    const publisher = { publish: append, onEvent: () => () => {} }
    await withdraw({ tx, store, clock, publisher }, subject, (event, { recipient }) =>
      isOlder(event, recipient) ? 'there is newer news of it' : undefined,
    )
  }

  const append = async (
    event: NewEvent,
    tx: StoreTransaction,
  ): Promise<StoredEvent | undefined> => {
    const payload = EVENTS[event.type].payload.safeParse(event.payload)
    if (!payload.success) {
      throw new ExomonadError(
        'INTERNAL',
        `The event ${event.type} does not carry what it must: ${payload.error.message}`,
        { type: event.type },
      )
    }
    const stored = await tx.events.append({
      type: event.type,
      at: clock(),
      agentId: event.agentId,
      actor: event.actor,
      why: event.why ?? null,
      dedupeKey: dedupeKeyOf(event),
      payload: payload.data,
    })
    if (stored === undefined) return undefined
    // Most events are history only, and need nobody to be looked up.
    const agents: ReadonlyMap<AgentId, Agent> = ROUTED_TYPES.includes(event.type)
      ? await agentsAround(tx, stored)
      : new Map()
    const recipients: Recipient[] = []
    const subject = subjectOf(stored)
    const filed = event.type === 'agent.idle' ? await filedBranches(tx) : undefined
    for (const { to, type } of route(stored, asRoutingTree(agents, filed))) {
      const text = await renderer.render(stored, await contextOf(tx, agents, stored, to))
      if (text === '') continue
      await tx.outbox.enqueue({
        id: newDeliveryId(),
        recipient: to,
        eventSeq: stored.seq,
        kind: isRaw(stored) ? RAW : type,
        subject,
        text,
        createdAt: stored.at,
      })
      recipients.push(to)
    }
    if (subject !== null && isState(stored)) await supersede(tx, stored, subject, recipients)
    tx.afterCommit(() => {
      if (recipients.length > 0) notify(enqueuedListeners, recipients)
      notify(listeners, stored)
    })
    return stored
  }

  const add = <T>(all: Set<T>, listener: T): (() => void) => {
    all.add(listener)
    return () => {
      all.delete(listener)
    }
  }

  return {
    publish: (event, tx) =>
      tx === undefined ? store.transaction((own) => append(event, own)) : append(event, tx),
    onEvent: (listener) => add(listeners, listener),
    onEnqueued: (listener) => add(enqueuedListeners, listener),
  }
}
