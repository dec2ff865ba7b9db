import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { Store } from '../../../src/adapters/store/store.ts'
import type { StoredEvent } from '../../../src/domain/records.ts'
import { newAgentId } from '../../../src/domain/ids.ts'
import type { OpenedStore } from './suite.ts'
import { agentRow, deliveryRow, eventRow, mailRow } from './rows.ts'

export function transactions(store: () => Store, open: () => Promise<OpenedStore>): void {
  describe('transactions', () => {
    it('keep all or nothing, and return what the work returns', async () => {
      const [kept, lost] = [agentRow(), agentRow()]
      const answer = await store().transaction(async (tx) => {
        await tx.agents.insert(kept)
        await tx.agents.update(kept.id, { tokens: 7 })
        return (await tx.agents.get(kept.id))?.tokens
      })
      expect(answer).toBe(7)
      const fault = new Error('the work failed')
      const failing = store().transaction(async (tx) => {
        await tx.agents.insert(lost)
        await tx.events.append(eventRow({ agentId: lost.id }))
        throw fault
      })
      await expect(failing).rejects.toBe(fault)
      expect(await store().agents.get(kept.id)).toMatchObject({ tokens: 7 })
      expect(await store().agents.get(lost.id)).toBeUndefined()
      expect(await store().events.list({ agentId: lost.id })).toEqual([])
    })

    it('go on after a verb that was refused, where the work catches it', async () => {
      const agent = agentRow()
      await store().transaction(async (tx) => {
        await tx.agents.insert(agent)
        await expect(tx.agents.insert(agent)).rejects.toMatchObject({ code: 'INTERNAL' })
        await tx.agents.update(agent.id, { tokens: 1 })
      })
      expect(await store().agents.get(agent.id)).toMatchObject({ tokens: 1 })
    })

    it('run one after the other: none of many read-then-write is lost', async () => {
      const key = newAgentId()
      const raise = (): Promise<void> =>
        store().transaction(async (tx) => {
          const count = Number((await tx.snapshots.get(key))?.['count'] ?? 0)
          await turn()
          await tx.snapshots.put(key, { count: count + 1 })
        })
      await Promise.all(Array.from({ length: 50 }, raise))
      expect(await store().snapshots.get(key)).toEqual({ count: 50 })
    })

    it('are neither seen nor joined by verbs outside, which wait', async () => {
      const [inside, outside] = [agentRow(), agentRow()]
      const opened = Promise.withResolvers<void>()
      const gate = Promise.withResolvers<void>()
      const order: string[] = []
      const failing = store()
        .transaction(async (tx) => {
          await tx.agents.insert(inside)
          opened.resolve()
          await gate.promise
          order.push('transaction')
          throw new Error('rolled back')
        })
        .catch(() => {})
      await opened.promise
      const seen = store().agents.get(inside.id)
      const written = store().agents.insert(outside)
      void seen.then(() => order.push('read'))
      void written.then(() => order.push('write'))
      for (let turns = 0; turns < 20; turns++) await turn()
      expect(order).toEqual([])
      gate.resolve()
      await Promise.all([failing, written])
      expect(await seen).toBeUndefined()
      expect(order).toEqual(['transaction', 'read', 'write'])
      expect(await store().agents.get(outside.id)).toEqual(outside)
    })

    it('and verbs are served in the order of asking', async () => {
      const order: number[] = []
      const asked = Array.from({ length: 30 }, async (_, index) => {
        if (index % 3 === 0) await store().transaction((tx) => tx.events.lastSeq())
        else await store().events.append(eventRow())
        order.push(index)
      })
      await Promise.all(asked)
      expect(order).toEqual(order.toSorted((left, right) => left - right))
    })

    it('call back after the commit, when others can read it, and before the transaction returns', async () => {
      const agent = agentRow()
      const calls: string[] = []
      const readable = Promise.withResolvers<unknown>()
      await store().transaction(async (tx) => {
        tx.afterCommit(() => calls.push('first'))
        tx.afterCommit(
          () => void store().agents.get(agent.id).then(readable.resolve, readable.reject),
        )
        await tx.agents.insert(agent)
        await turn()
        expect(calls).toEqual([])
      })
      expect(calls).toEqual(['first'])
      expect(await readable.promise).toEqual(agent)
    })

    it('do not call back when they roll back, not then and not later', async () => {
      const calls: string[] = []
      const failing = store().transaction((tx) => {
        tx.afterCommit(() => calls.push('never'))
        return Promise.reject(new Error('rolled back'))
      })
      await expect(failing).rejects.toThrow('rolled back')
      await store().transaction((tx) => tx.events.append(eventRow()))
      expect(calls).toEqual([])
    })

    it('run every callback past one that fails, and stand', async () => {
      const calls: string[] = []
      const agent = agentRow()
      await store().transaction(async (tx) => {
        tx.afterCommit(() => {
          throw new Error('a callback’s own fault')
        })
        tx.afterCommit(async () => {
          await turn()
          throw new Error('a later fault of a callback')
        })
        tx.afterCommit(() => calls.push('last'))
        await tx.agents.insert(agent)
      })
      expect(calls).toEqual(['last'])
      expect(await store().agents.get(agent.id)).toEqual(agent)
    })

    it('call back in the order of commits, so that events arrive in the order of their numbers', async () => {
      const received: number[] = []
      const publish = (): Promise<StoredEvent | undefined> =>
        store().transaction(async (tx) => {
          const event = await tx.events.append(eventRow())
          tx.afterCommit(() => received.push(event?.seq ?? 0))
          return event
        })
      await Promise.all(Array.from({ length: 30 }, publish))
      expect(received).toHaveLength(30)
      expect(received).toEqual(received.toSorted((left, right) => left - right))
    })

    it('wake for mail only once it is committed', async () => {
      const to = newAgentId()
      const woken: string[] = []
      const stop = store().subscribe(to, () => woken.push('woken'))
      await store()
        .transaction(async (tx) => {
          await tx.mail.send(mailRow(to))
          throw new Error('rolled back')
        })
        .catch(() => {})
      expect(woken).toEqual([])
      await store().transaction(async (tx) => {
        await tx.mail.send(mailRow(to))
        expect(woken).toEqual([])
      })
      await expect.poll(() => woken).toEqual(['woken'])
      stop()
    })

    it('hold verbs of several statements whole', async () => {
      const dedupeKey = newAgentId()
      await store().transaction(async (tx) => {
        const event = await tx.events.append(eventRow({ dedupeKey }))
        await tx.outbox.enqueue(deliveryRow({ eventSeq: event?.seq ?? null }))
        expect(await tx.events.append(eventRow({ dedupeKey }))).toBeUndefined()
        await tx.journal.begin({
          id: dedupeKey,
          kind: 'merge',
          step: 'begin',
          data: {},
          startedAt: 1,
        })
        await tx.journal.step(dedupeKey, 'push', { head: 'x' })
      })
      expect(await store().journal.get(dedupeKey)).toMatchObject({
        step: 'push',
        data: { head: 'x' },
      })
    })
  })

  describe('closing', () => {
    it('waits for what was asked, and refuses what comes after with a reason', async () => {
      const own = await open()
      const agent = agentRow()
      const inserted = own.store.agents.insert(agent)
      await own.store.close()
      await inserted
      await expect(own.store.agents.get(agent.id)).rejects.toMatchObject({ code: 'NOT_AVAILABLE' })
      await expect(own.store.transaction((tx) => tx.events.lastSeq())).rejects.toMatchObject({
        code: 'NOT_AVAILABLE',
      })
      await own.store.close()
      await own.reopen()
      expect(await own.store.agents.get(agent.id)).toEqual(agent)
      await own.dispose()
    })
  })
}
