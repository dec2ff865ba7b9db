import fc from 'fast-check'
import { expect } from 'vitest'
import type { Store } from '../../../src/adapters/store/store.ts'
import {
  afterChange,
  columnsOf,
  type DeliveryChange,
  type DeliveryState,
  stateOf,
} from '../../../src/domain/delivery-state.ts'
import {
  type AgentId,
  type DeliveryId,
  newAgentId,
  newDeliveryId,
  type Recipient,
} from '../../../src/domain/ids.ts'
import { deliveryRow } from './rows.ts'

interface Entry {
  readonly id: DeliveryId
  readonly recipient: Recipient
  attempts: number
  phase: DeliveryState
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
    { weight: 1, arbitrary: fc.record({ do: fc.constant('withdraw' as const), which }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('requeue' as const), which }) },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant('reroute' as const), fromSecond: fc.boolean() }),
    },
  ),
  { maxLength: 30, size: 'max' },
)

/**
 * Runs any order of verbs against the states’ machine, and compares all deliveries after each.
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
        /** Returns the ids of those that the change applies to. */
        const take = (change: DeliveryChange, from: readonly Entry[] = chosen): DeliveryId[] =>
          from
            .filter((entry) => {
              const next = afterChange(entry.phase, change)
              if (next !== undefined) entry.phase = next
              return next !== undefined
            })
            .map(({ id }) => id)

        switch (step.do) {
          case 'enqueue': {
            const row = deliveryRow({ recipient: recipients[step.second ? 1 : 0] })
            entries.push({
              id: row.id,
              recipient: row.recipient,
              attempts: 0,
              phase: { name: 'waiting', why: null },
            })
            await store.outbox.enqueue(row)
            break
          }
          case 'claim': {
            const claim = { lane: 'pane', batch: `b-${time}`, claimedAt: time } as const
            const expected = take({ by: 'claim', ...claim })
            for (const entry of entries) if (expected.includes(entry.id)) entry.attempts += 1
            expect(
              (await store.outbox.claim(ids, claim.lane, claim.batch, time)).map(({ id }) => id),
            ).toEqual(expected)
            break
          }
          case 'handed':
            take({ by: 'note', handedAt: time })
            await store.outbox.handed(ids, time)
            break
          case 'settle': {
            const expected = take({ by: step.to, why: 'why', settledAt: time })
            expect(await store.outbox.settle(ids, step.to, 'why', time)).toEqual(expected)
            break
          }
          case 'withdraw': {
            const expected = take({ by: 'withdraw', why: 'why', settledAt: time })
            expect(await store.outbox.withdraw(ids, 'why', time)).toEqual(expected)
            break
          }
          case 'requeue':
            take({ by: 'requeue', why: 'why' })
            await store.outbox.requeue(ids, time, 'why')
            break
          case 'reroute': {
            const [from, to] = step.fromSecond ? [recipients[1], recipients[0]] : recipients
            const expected = take(
              { by: 'reroute', why: 'gone' },
              entries.filter(({ recipient }) => recipient === from),
            )
            for (const entry of entries)
              if (expected.includes(entry.id)) Object.assign(entry, { recipient: to, attempts: 0 })
            expect(await store.outbox.reroute(from, to, 'gone')).toEqual(expected)
            break
          }
        }
        const stored = [
          ...(await store.outbox.list({ recipient: recipients[0] })),
          ...(await store.outbox.list({ recipient: recipients[1] })),
        ]
        const seen = new Map(
          stored.map((row): [DeliveryId, Entry] => {
            const { id, recipient, attempts } = row
            const phase = stateOf(row)
            expect(row).toMatchObject(columnsOf(phase))
            return [id, { id, recipient, attempts, phase }]
          }),
        )
        expect(seen).toEqual(new Map(entries.map((entry) => [entry.id, entry])))
      }
    }),
    { numRuns: 80 },
  )
}
