import { describe, expect, it } from 'vitest'
import type { Store } from '../../../src/adapters/store/store.ts'
import type { DeliveryStatus } from '../../../src/domain/records.ts'
import { newAgentId, newDeliveryId } from '../../../src/domain/ids.ts'
import type { OpenedStore } from './suite.ts'
import { outboxModel } from './outbox-model.ts'
import { deliveryRow } from './rows.ts'

export function outboxVerbs(store: () => Store, open: () => Promise<OpenedStore>): void {
  describe('outbox', () => {
    it('queues a delivery, due at once, and gives it back whole', async () => {
      const delivery = deliveryRow({ eventSeq: 12 })
      await store().outbox.enqueue(delivery)
      expect(await store().outbox.get(delivery.id)).toEqual({
        ...delivery,
        state: 'queued',
        lane: null,
        batch: null,
        attempts: 0,
        nextAttemptAt: delivery.createdAt,
        claimedAt: null,
        handedAt: null,
        settledAt: null,
        why: null,
        subject: null,
        reach: 'wake',
      })
      expect(await store().outbox.get(newDeliveryId())).toBeUndefined()
    })

    it('lists in the order of enqueueing, by recipient, states and batch', async () => {
      const recipient = newAgentId()
      const rows = [5, 1, 3].map((createdAt) => deliveryRow({ recipient, createdAt }))
      const ids = rows.map(({ id }) => id)
      for (const row of rows) await store().outbox.enqueue(row)
      const listed = async (filter: Parameters<Store['outbox']['list']>[0]): Promise<string[]> =>
        (await store().outbox.list(filter)).map(({ id }) => id)
      expect(await listed({ recipient })).toEqual(ids)
      expect(await listed({ recipient, limit: 2 })).toEqual(ids.slice(0, 2))
      const batch = newDeliveryId()
      await store().outbox.claim(ids.slice(1), 'pane', batch, 2000)
      expect(await listed({ batch })).toEqual(ids.slice(1))
      expect(await listed({ recipient, states: ['queued', 'acked'] })).toEqual(ids.slice(0, 1))
      expect(await listed({ recipient, states: [] })).toEqual([])
    })

    it('hands each delivery to one of many that claim it at once', async () => {
      const rows = Array.from({ length: 10 }, () => deliveryRow())
      for (const row of rows) await store().outbox.enqueue(row)
      const ids = rows.map(({ id }) => id)
      const claims = await Promise.all(
        ['a', 'b', 'c', 'd'].map((batch) => store().outbox.claim(ids, 'pane', batch, 2000)),
      )
      const taken = claims.flat()
      expect(taken.map(({ id }) => id)).toEqual(ids)
      expect(new Set(taken.map(({ batch }) => batch)).size).toBe(1)
    })

    it('keeps what a claim says, with the time of the hand-over when it came to that', async () => {
      const delivery = deliveryRow()
      await store().outbox.enqueue(delivery)
      const [claimed] = await store().outbox.claim(
        [delivery.id, newDeliveryId()],
        'hook',
        'b-1',
        2000,
      )
      expect(claimed).toMatchObject({
        ...delivery,
        state: 'sent',
        lane: 'hook',
        batch: 'b-1',
        attempts: 1,
        claimedAt: 2000,
        handedAt: null,
      })
      await store().outbox.handed([delivery.id], 2010)
      expect(await store().outbox.get(delivery.id)).toEqual({ ...claimed, handedAt: 2010 })
    })

    it('keeps an ack that came before the hand-over was noted', async () => {
      const { id, ...rest } = deliveryRow()
      await store().outbox.enqueue({ id, ...rest })
      await store().outbox.claim([id], 'pane', 'b-2', 2000)
      expect(await store().outbox.settle([id], 'acked', null, 2005)).toEqual([id])
      await store().outbox.handed([id], 2010)
      expect(await store().outbox.get(id)).toMatchObject({
        state: 'acked',
        handedAt: 2010,
        settledAt: 2005,
      })
    })

    it('queues again what was not handed over, with when and why, and counts the attempts', async () => {
      const { id, ...rest } = deliveryRow()
      await store().outbox.enqueue({ id, ...rest })
      await store().outbox.claim([id], 'pane', 'b-3', 2000)
      await store().outbox.requeue([id], 2500.4, 'a human is typing')
      expect(await store().outbox.get(id)).toMatchObject({
        state: 'queued',
        lane: null,
        batch: null,
        attempts: 1,
        claimedAt: null,
        nextAttemptAt: 2501,
        why: 'a human is typing',
      })
      const [again] = await store().outbox.claim([id], 'pane', 'b-4', 3000)
      expect(again).toMatchObject({ attempts: 2, why: 'a human is typing' })
    })

    it('sends what is not handed over to another when its recipient is gone, and leaves the rest', async () => {
      const [from, to] = [newAgentId(), newAgentId()]
      const rows = Array.from({ length: 5 }, () => deliveryRow({ recipient: from, createdAt: 700 }))
      for (const row of rows) await store().outbox.enqueue(row)
      const [queued, claimed, handed, acked, undecided] = rows.map(({ id }) => id)
      if (!queued || !claimed || !handed || !acked || !undecided) throw new Error('five rows')
      await store().outbox.claim([claimed, handed, acked, undecided], 'pane', 'b-5', 2000)
      await store().outbox.handed([handed], 2010)
      await store().outbox.settle([acked], 'acked', null, 2020)
      await store().outbox.settle([undecided], 'undecided', 'a crash', 2020)
      expect(await store().outbox.reroute(from, to, 'auth is gone')).toEqual([queued, claimed])
      const moved = await store().outbox.list({ recipient: to })
      expect(moved).toHaveLength(2)
      for (const delivery of moved)
        expect(delivery).toMatchObject({
          state: 'queued',
          attempts: 0,
          nextAttemptAt: 700,
          batch: null,
          why: 'auth is gone',
        })
      expect((await store().outbox.list({ recipient: from })).map(({ id }) => id)).toEqual([
        handed,
        acked,
        undecided,
      ])
      const third = newAgentId()
      expect(await store().outbox.reroute(to, third, null)).toEqual([queued, claimed])
      for (const delivery of await store().outbox.list({ recipient: third }))
        expect(delivery).toMatchObject({ state: 'queued', why: 'auth is gone' })
    })

    it('leaves what is to stay with a recipient that is gone', async () => {
      const [from, to] = [newAgentId(), newAgentId()]
      const [moved, kept] = [deliveryRow({ recipient: from }), deliveryRow({ recipient: from })]
      for (const row of [moved, kept]) await store().outbox.enqueue(row)
      expect(await store().outbox.reroute(from, to, 'gone', { but: [kept.id] })).toEqual([moved.id])
      expect(await store().outbox.list({ recipient: from })).toMatchObject([
        { id: kept.id, why: null },
      ])
    })

    it('counts by recipient', async () => {
      const own = await open()
      const agent = newAgentId()
      const mine = [
        deliveryRow({ recipient: agent }),
        deliveryRow({ recipient: agent }),
        deliveryRow({ recipient: agent, kind: 'pr.ready' }),
      ]
      for (const row of [...mine, deliveryRow({ recipient: 'human' })])
        await own.store.outbox.enqueue(row)
      await own.store.outbox.settle([mine[0]?.id ?? newDeliveryId()], 'failed', 'no', 2000)
      expect(await own.store.outbox.counts(['queued'])).toEqual(
        new Map<string, number>([
          [agent, 2],
          ['human', 1],
        ]),
      )
      expect(
        await own.store.outbox.counts(['queued'], { but: ['pr.ready', 'pr.blocked'] }),
      ).toEqual(
        new Map<string, number>([
          [agent, 1],
          ['human', 1],
        ]),
      )
      expect(await own.store.outbox.counts(['failed', 'undecided'])).toEqual(new Map([[agent, 1]]))
      expect(await own.store.outbox.counts([])).toEqual(new Map())
      await own.dispose()
    })

    it('prunes what is settled, or handed over for good, and keeps what waits', async () => {
      const own = await open()
      const states: DeliveryStatus[] = ['queued', 'sent', 'acked', 'failed', 'undecided']
      const rows = [...states, 'handed', 'young'].map((kind) => deliveryRow({ kind, createdAt: 1 }))
      for (const row of rows) await own.store.outbox.enqueue(row)
      const idOf = (kind: string): (typeof rows)[number]['id'] =>
        rows.find((row) => row.kind === kind)?.id ?? newDeliveryId()
      await own.store.outbox.claim(
        rows.filter(({ kind }) => kind !== 'queued').map(({ id }) => id),
        'pane',
        'b-6',
        2,
      )
      await own.store.outbox.handed([idOf('handed')], 3)
      for (const state of ['acked', 'failed', 'undecided'] as const)
        await own.store.outbox.settle([idOf(state)], state, null, 3)
      await own.store.outbox.settle([idOf('young')], 'acked', null, 50)
      expect(await own.store.outbox.prune(10)).toBe(4)
      expect((await own.store.outbox.list({})).map(({ kind }) => kind)).toEqual([
        'queued',
        'sent',
        'young',
      ])
      await own.dispose()
    })

    it('goes only from state to state as it may, under any order of verbs', () =>
      outboxModel(store()))
  })
}
