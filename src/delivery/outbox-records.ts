import type { Store, StoreTransaction } from '../adapters/store/store.ts'
import type { Agent, Delivery } from '../domain/records.ts'
import { createMailNotices } from '../core/mail/mail-notices.ts'
import type { Clock } from '../domain/clock.ts'
import { handOverOf, stateOf } from '../domain/delivery-state.ts'
import type { AgentId, DeliveryId, Recipient } from '../domain/ids.ts'
import { asRoutingTree, lineOf, startsAgain } from './event-tree.ts'
import { isWritten, MEANT_FOR, NOT_ARRIVED, RAW } from './outbox-message.ts'
import type { Publisher } from '../events/publish.ts'
import { nearestLiving } from '../domain/nearest-living.ts'

/** What the outbox writes down: each change of a delivery with its event, in one transaction. */
export interface OutboxRecords {
  handed(agentId: AgentId, deliveries: readonly Pick<Delivery, 'id' | 'lane'>[]): Promise<void>
  /** Returns those that are the agent’s own, changed or not, and those that changed. */
  acked(
    agentId: AgentId,
    ids: readonly string[],
  ): Promise<{ known: DeliveryId[]; changed: DeliveryId[] }>
  /**
   * Back to where they were, after a hand-over that certainly did not happen; whom they were meant
   * for is not forgotten.
   */
  requeue(deliveries: readonly Delivery[], nextAttemptAt: number, reason: string): Promise<void>
  undecided(
    agent: Pick<Agent, 'id' | 'name'>,
    deliveries: readonly Delivery[],
    reason: string,
  ): Promise<void>
  /**
   * Everything that waits for an agent that is gone goes to the next in line: returns who that is,
   * null where nothing did. So do the words of mail that one that ended for good had not read; the
   * line about it stays. What a person said to a root since its program ended stays.
   */
  abandon(id: AgentId, acks: boolean): Promise<Recipient | null>
}

export function createOutboxRecords({
  store,
  publisher,
  clock,
}: {
  store: Store
  publisher: Publisher
  clock: Clock
}): OutboxRecords {
  const notices = createMailNotices({ publisher, clock })
  /** Whoever waits for the agent counts it as idle only once nothing is on its way to it. */
  const signalled = (tx: StoreTransaction, id: AgentId): void =>
    tx.afterCommit(() => void store.signal(id).catch(() => {}))

  const markUndecided = async (
    tx: StoreTransaction,
    agent: Pick<Agent, 'id' | 'name'>,
    deliveries: readonly Delivery[],
    reason: string,
  ): Promise<void> => {
    const ids = deliveries.map(({ id }) => id)
    const changed = new Set(await tx.outbox.settle(ids, 'undecided', reason, clock()))
    signalled(tx, agent.id)
    for (const { id, text } of deliveries.filter((delivery) => changed.has(delivery.id))) {
      await publisher.publish(
        {
          type: 'delivery.undecided',
          agentId: agent.id,
          actor: 'daemon',
          payload: { delivery_id: id, name: agent.name, reason, text },
        },
        tx,
      )
    }
  }

  return {
    handed: (agentId, deliveries) =>
      store.transaction(async (tx) => {
        await tx.outbox.handed(
          deliveries.map(({ id }) => id),
          clock(),
        )
        signalled(tx, agentId)
        for (const { id, lane } of deliveries) {
          await publisher.publish(
            {
              type: 'delivery.sent',
              agentId,
              actor: 'daemon',
              payload: { delivery_id: id, lane: lane ?? 'pane' },
            },
            tx,
          )
        }
      }),

    acked: (agentId, ids) =>
      store.transaction(async (tx) => {
        const found = await Promise.all(
          [...new Set(ids)].map((id) => tx.outbox.get(id as DeliveryId)),
        )
        const own = found.filter(
          (delivery): delivery is Delivery => delivery?.recipient === agentId,
        )
        const changed = await tx.outbox.settle(
          own.map(({ id }) => id),
          'acked',
          null,
          clock(),
        )
        if (changed.length > 0) signalled(tx, agentId)
        for (const delivery of own.filter(({ id }) => changed.includes(id))) {
          const lane = handOverOf(stateOf(delivery))?.lane ?? 'tool'
          await publisher.publish(
            {
              type: 'delivery.acked',
              agentId,
              actor: agentId,
              payload: { delivery_id: delivery.id, lane },
            },
            tx,
          )
        }
        return { known: own.map(({ id }) => id), changed }
      }),

    requeue: async (deliveries, nextAttemptAt, reason) => {
      const why = (delivery: Delivery): string =>
        delivery.why !== null &&
        (delivery.why === NOT_ARRIVED || delivery.why.startsWith(MEANT_FOR))
          ? delivery.why
          : reason
      for (const [because, group] of Map.groupBy(deliveries, why)) {
        await store.outbox.requeue(
          group.map(({ id }) => id),
          nextAttemptAt,
          because,
        )
      }
    },

    undecided: (agent, deliveries, reason) =>
      store.transaction((tx) => markUndecided(tx, agent, deliveries, reason)),

    abandon: (id, acks) =>
      store.transaction(async (tx) => {
        const line = await lineOf(tx, id)
        const agent = line.get(id)
        const found = await tx.outbox.list({ recipient: id, states: ['queued', 'sent'] })
        const kept = found.filter((delivery) => waitsForStart(agent, delivery))
        const all = found.filter((delivery) => !kept.includes(delivery))
        if (all.length === 0) return null
        const to = nearestLiving(asRoutingTree(line), id)
        const name = agent?.name ?? id
        // News of its own work that needed nothing is nobody else’s.
        const others = all.filter((delivery) => !isNewsOfItsOwn(delivery))
        const ids = all.filter(isNewsOfItsOwn).map((delivery) => delivery.id)
        const gone = `${name} has ended, and it needed nothing`
        await tx.outbox.withdraw(ids, gone, clock())
        await tx.outbox.settle(ids, 'failed', gone, clock())
        if (agent !== undefined && isOver(agent)) await notices.passOn(tx, agent, to)
        if (others.length === 0) return null
        // What is for the root is for the human where that has no program: nothing went astray.
        const isTheirs = agent?.kind === 'root' && to === 'human'
        if (isTheirs) await notices.bringToInbox(tx, id)
        // The line about mail is of use to its agent alone. One that failed gets another when it is
        // resumed.
        const lines = others.filter(isMailLine).map((delivery) => delivery.id)
        await tx.outbox.withdraw(lines, `${name} has ended`, clock())
        await tx.outbox.settle(lines, 'failed', `${name} has ended`, clock())
        const unsettled = others.filter((delivery) => !isMailLine(delivery))
        if (unsettled.length === 0) return null
        const unconfirmed = acks
          ? unsettled.filter((delivery) => stateOf(delivery).name === 'handed')
          : []
        if (unconfirmed.length > 0) {
          const reason = `${name} ended before it confirmed the message`
          if (agent?.state !== 'killed') await markUndecided(tx, { id, name }, unconfirmed, reason)
          // Whoever ended it did not want it to go on: no person needs to look.
          else
            await tx.outbox.settle(
              unconfirmed.map((delivery) => delivery.id),
              'failed',
              reason,
              clock(),
            )
        }
        const ended = agent?.state === 'killed' ? 'which was killed' : 'which has ended'
        const why = isTheirs ? null : `${MEANT_FOR}${name}, ${ended}`
        const reason = why ?? `${name} has no program now, so that it is the human’s`
        const but = kept.map((delivery) => delivery.id)
        for (const delivery of await tx.outbox.reroute(id, to, why, { but })) {
          await publisher.publish(
            {
              type: 'delivery.failed',
              agentId: id,
              actor: 'daemon',
              payload: { delivery_id: delivery, reason, to },
            },
            tx,
          )
        }
        return to
      }),
  }
}

const isNewsOfItsOwn = (delivery: Delivery): boolean =>
  delivery.reach === 'carry' && !isWritten(delivery)

const isMailLine = ({ kind }: Delivery): boolean => kind === 'mail'

/** It never goes on. */
const isOver = ({ kind, state }: Agent): boolean =>
  kind !== 'root' && (state === 'killed' || state === 'completed')

/** What a person says, and answers. */
const SAID: ReadonlySet<string> = new Set(['message', RAW, 'question.answered'])

/** Said to a root when it had no program already: the next one gets it. */
const waitsForStart = (agent: Agent | undefined, delivery: Delivery): boolean =>
  agent !== undefined &&
  startsAgain(agent) &&
  SAID.has(delivery.kind) &&
  delivery.why?.startsWith(MEANT_FOR) !== true &&
  stateOf(delivery).name === 'waiting' &&
  (agent.stateSource !== 'process' || delivery.createdAt >= agent.stateAt)
