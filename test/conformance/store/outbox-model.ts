import fc from 'fast-check'
import { expect } from 'vitest'
import type { Store } from '../../../src/adapters/store/store.ts'
import type { Delivery } from '../../../src/domain/records.ts'
import {
  type AgentId,
  type DeliveryId,
  newAgentId,
  newDeliveryId,
} from '../../../src/domain/ids.ts'
import { deliveryRow } from './rows.ts'

type Entry = Pick<Delivery, 'recipient' | 'state' | 'attempts' | 'handedAt'> & {
  readonly id: DeliveryId
}

const which = fc.uniqueArray(fc.nat({ max: 7 }), { maxLength: 4 })
const operations = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({ do: fc.constant('enqueue' as const), second: fc.boolean() }),
    },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('claim' as const), which }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('handed' as const), which }) },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('settle' as const),
        which,
        to: fc.constantFrom('acked', 'failed', 'undecided'),
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('requeue' as const), which }) },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant('reroute' as const), fromSecond: fc.boolean() }),
    },
  ),
  { maxLength: 30 },
)

/**
 * Runs any order of verbs against a plain model of the states, and compares all deliveries after
 * each.
 */
export async function outboxModel(store: Store): Promise<void> {
  await fc.assert(
    fc.asyncProperty(operations, async (steps) => {
      const recipients: readonly [AgentId, AgentId] = [newAgentId(), newAgentId()]
      const entries: Entry[] = []
      for (const [time, step] of steps.entries()) {
        const chosen =
          'which' in step ? entries.filter((_, index) => step.which.includes(index)) : []
        // Unknown ids are among those asked for.
        const ids = [...chosen.map(({ id }) => id), newDeliveryId()]
        const take = (
          allowed: (entry: Entry) => boolean,
          from: readonly Entry[],
          patch: (entry: Entry) => Partial<Entry>,
        ): DeliveryId[] =>
          from.filter(allowed).map((entry) => Object.assign(entry, patch(entry)).id)

        switch (step.do) {
          case 'enqueue': {
            const row = deliveryRow({ recipient: recipients[step.second ? 1 : 0] })
            entries.push({
              id: row.id,
              recipient: row.recipient,
              state: 'queued',
              attempts: 0,
              handedAt: null,
            })
            await store.outbox.enqueue(row)
            break
          }
          case 'claim': {
            const expected = take(queued, chosen, ({ attempts }) => ({
              state: 'sent',
              attempts: attempts + 1,
              handedAt: null,
            }))
            expect(
              (await store.outbox.claim(ids, 'pane', `b-${time}`, time)).map(({ id }) => id),
            ).toEqual(expected)
            break
          }
          case 'handed':
            take(
              (entry) => !queued(entry),
              chosen,
              () => ({ handedAt: time }),
            )
            await store.outbox.handed(ids, time)
            break
          case 'settle': {
            const mayChange = (entry: Entry): boolean =>
              waiting(entry) || (entry.state === 'undecided' && step.to === 'acked')
            const expected = take(mayChange, chosen, () => ({ state: step.to }))
            expect(await store.outbox.settle(ids, step.to, 'why', time)).toEqual(expected)
            break
          }
          case 'requeue':
            take(waiting, chosen, () => ({ state: 'queued', handedAt: null }))
            await store.outbox.requeue(ids, time, 'why')
            break
          case 'reroute': {
            const [from, to] = step.fromSecond ? [recipients[1], recipients[0]] : recipients
            const moves = (entry: Entry): boolean =>
              entry.recipient === from &&
              (queued(entry) || (entry.state === 'sent' && entry.handedAt === null))
            const expected = take(moves, entries, () => ({
              recipient: to,
              state: 'queued',
              attempts: 0,
            }))
            expect(await store.outbox.reroute(from, to, 'gone')).toEqual(expected)
            break
          }
        }
        const stored = [
          ...(await store.outbox.list({ recipient: recipients[0] })),
          ...(await store.outbox.list({ recipient: recipients[1] })),
        ]
        const seen = new Map(
          stored.map(({ id, recipient, state, attempts, handedAt }) => [
            id,
            { id, recipient, state, attempts, handedAt },
          ]),
        )
        expect(seen).toEqual(new Map(entries.map((entry) => [entry.id, entry])))
      }
    }),
    { numRuns: 80 },
  )
}

const queued = ({ state }: Entry): boolean => state === 'queued'
const waiting = ({ state }: Entry): boolean => state === 'queued' || state === 'sent'
