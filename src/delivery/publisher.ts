import type { PullRequestSnapshot } from '../adapters/forge/forge.ts'
import type { StoreTransaction, Store } from '../adapters/store/store.ts'
import type { Agent, Delivery, StoredEvent } from '../domain/records.ts'
import type { Clock } from '../domain/clock.ts'
import { ExomonadError } from '../domain/errors.ts'
import type { AgentId, DeliveryId, Recipient } from '../domain/ids.ts'
import type { Config } from '../config/schema.ts'
import type { Log } from '../runtime/log.ts'
import { dedupeKeyOf, definitionOf, EVENTS, type NewEvent } from '../events/event.ts'
import { agentsAround, asRoutingTree, contextOf, type FiledWork } from './event-tree.ts'
import type { Publisher } from '../events/publish.ts'
import { RAW } from './outbox-message.ts'
import type { Renderer } from './render/render.ts'
import { filedBranches, knownPulls, mergedBranches } from '../core/pulls/pull-records.ts'
import { attentionOf } from './attention.ts'
import { waitNoMore } from './held.ts'
import { asItRests, reachAtRest, rememberRest } from './rest.ts'
import { route, ROUTED_TYPES, type Route } from './router.ts'
import { hasStates, isState, subjectOf, withdraw } from './withdrawal.ts'

export interface PublisherWithDeliveries extends Publisher {
  /** Called after the commit with those who have something new waiting. Returns how to stop. */
  onEnqueued(listener: (recipients: readonly Recipient[]) => void): () => void
}

/** Of a type that newer news does not replace. */
const staysFor = ({ type }: StoredEvent): boolean => definitionOf(type)?.stays === true

/** What this ends is withdrawn from everybody. */
const ENDS: Readonly<Record<string, string>> = {
  'base.green': 'base.red',
  'conflict.cleared': 'conflict.foretold',
}

/** For these it matters whether the work is in a pull request. */
const ENDS_WORK: ReadonlySet<string> = new Set(['agent.idle', 'agent.completed', 'pr.merged'])

const workIn = (pulls: readonly PullRequestSnapshot[]): FiledWork => ({
  filed: filedBranches(pulls),
  merged: mergedBranches(pulls),
})

/** Read where it is needed, for all of one event. */
function readOnce<T>(read: () => Promise<T>): () => Promise<T> {
  let known: Promise<T> | undefined
  return () => (known ??= read())
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
  /** `[attention]` as it is now. Default: as events are defined. */
  readonly attention?: () => Promise<Config['attention']>
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
   * Older news of the same that still waits for these; of what has ended (ENDS), for anybody.
   */
  const supersede = async (
    tx: StoreTransaction,
    { seq, type }: StoredEvent,
    subject: string,
    recipients: readonly Recipient[],
  ): Promise<void> => {
    const isOlder = (event: StoredEvent, { recipient, reach }: Delivery): boolean =>
      event.seq < seq &&
      // Of what is carried along only the newest state counts, whatever was news of it before; what
      // somebody wrote stays.
      (((reach === 'carry' ? !staysFor(event) : event.type === type && isState(event)) &&
        recipients.includes(recipient)) ||
        ENDS[type] === event.type)
    const publisher = { publish: append, onEvent: () => () => {} }
    await withdraw({ tx, store, clock, publisher }, subject, (event, delivery) =>
      isOlder(event, delivery) ? 'there is newer news of it' : undefined,
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
    const isRouted = ROUTED_TYPES.includes(event.type)
    const agents: ReadonlyMap<AgentId, Agent> = isRouted
      ? await agentsAround(tx, stored)
      : new Map()
    const recipients: Recipient[] = []
    const subject = subjectOf(stored)
    const pulls = readOnce(() => knownPulls(tx))
    const work = ENDS_WORK.has(event.type) ? workIn(await pulls()) : undefined
    const attention = isRouted ? await deps.attention?.() : undefined
    const policy = attention === undefined ? undefined : attentionOf(attention)
    const tree = await asItRests({ tx, pulls }, stored, asRoutingTree(agents, work))
    const sent: Route[] = []
    for (const one of route(stored, tree, { policy })) {
      const { to, type, why = '' } = one
      const reach = await reachAtRest({ tx, pulls }, stored, one)
      const text = await renderer.render(stored, await contextOf(tx, agents, stored, to, work))
      if (text === '') continue
      const id = newDeliveryId()
      await tx.outbox.enqueue({
        id,
        recipient: to,
        eventSeq: stored.seq,
        kind: isRaw(stored) ? RAW : type,
        subject,
        reach,
        text: reach === 'log' ? '' : text,
        createdAt: stored.at,
      })
      if (reach === 'log') await tx.outbox.withdraw([id], why, stored.at)
      else recipients.push(to)
      sent.push({ ...one, reach })
    }
    await rememberRest(tx, stored, tree, sent)
    await waitNoMore(tx, stored, sent)
    if (subject !== null && hasStates(stored)) await supersede(tx, stored, subject, recipients)
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
