import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Store } from '../../../src/adapters/store/store.ts'
import { newAgentId } from '../../../src/domain/ids.ts'
import type { OpenedStore } from './suite.ts'
import { eventRow } from './rows.ts'

export function eventVerbs(store: () => Store, open: () => Promise<OpenedStore>): void {
  describe('events', () => {
    it('numbers events upwards and gives them back whole', async () => {
      const agentId = newAgentId()
      const first = await store().events.append(
        eventRow({
          agentId,
          actor: 'forge:octocat',
          why: 'asked',
          payload: { deep: { list: [1, null, 'ü'] } },
        }),
      )
      const second = await store().events.append(eventRow({ agentId, actor: agentId }))
      expect(second?.seq).toBeGreaterThan(first?.seq ?? Infinity)
      expect(await store().events.list({ agentId })).toEqual([first, second])
      expect(await store().events.lastSeq()).toBe(second?.seq)
    })

    it('drops an event whose dedupe key is known, and uses no number for it', async () => {
      const dedupeKey = `pr-7-merged-${newAgentId()}`
      const first = await store().events.append(eventRow({ dedupeKey }))
      const before = await store().events.lastSeq()
      expect(
        await store().events.append(eventRow({ dedupeKey, type: 'pr.merged' })),
      ).toBeUndefined()
      expect(await store().events.lastSeq()).toBe(before)
      expect(first?.dedupeKey).toBe(dedupeKey)
    })

    it('accepts one of many that bring the same key at once', async () => {
      const dedupeKey = newAgentId()
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => store().events.append(eventRow({ dedupeKey }))),
      )
      expect(answers.filter((answer) => answer !== undefined)).toHaveLength(1)
    })

    it('knows a dedupe key after its event was pruned and after a restart, but not one that was rolled back', async () => {
      const own = await open()
      await own.store.events.append(eventRow({ dedupeKey: 'known', at: 10 }))
      await expect(
        own.store.transaction(async (tx) => {
          await tx.events.append(eventRow({ dedupeKey: 'taken back' }))
          throw new Error('rolled back')
        }),
      ).rejects.toThrow('rolled back')
      expect(await own.store.events.prune(20)).toBe(1)
      await own.reopen()
      expect(await own.store.events.append(eventRow({ dedupeKey: 'known' }))).toBeUndefined()
      expect(await own.store.events.append(eventRow({ dedupeKey: 'taken back' }))).toBeDefined()
      await own.dispose()
    })

    it('prunes what is older than the time and never uses a number again', async () => {
      const own = await open()
      expect(await own.store.events.lastSeq()).toBe(0)
      for (const at of [1, 2, 3]) await own.store.events.append(eventRow({ at }))
      const last = await own.store.events.lastSeq()
      expect(await own.store.events.prune(3)).toBe(2)
      expect((await own.store.events.list({})).map(({ at }) => at)).toEqual([3])
      expect(await own.store.events.prune(100)).toBe(1)
      expect(await own.store.events.lastSeq()).toBe(last)
      await own.reopen()
      expect((await own.store.events.append(eventRow()))?.seq).toBeGreaterThan(last)
      await own.dispose()
    })

    it('lists by any combination of cursor, time, types, agent and number', async () => {
      const own = await open()
      const agents = [newAgentId(), newAgentId()]
      const types = ['note', 'pr.opened', 'message']
      const all = []
      for (let at = 0; at < 30; at++) {
        all.push(
          await own.store.events.append(
            eventRow({ at, type: types[at % 3] ?? '', agentId: agents[at % 2] ?? null }),
          ),
        )
      }
      const stored = all.filter((event) => event !== undefined)
      const query = fc.record(
        {
          after: fc.integer({ min: 0, max: 32 }),
          before: fc.integer({ min: 0, max: 32 }),
          since: fc.integer({ min: -1, max: 32 }),
          until: fc.integer({ min: -1, max: 32 }),
          types: fc.subarray([...types, 'unknown']),
          agentId: fc.constantFrom(...agents),
          agentIds: fc.subarray([...agents, newAgentId()]),
          limit: fc.integer({ min: 0, max: 32 }),
        },
        { requiredKeys: [] },
      )
      const last = fc.option(fc.integer({ min: 0, max: 32 }), { nil: undefined })
      await fc.assert(
        fc.asyncProperty(query, last, async (asked, newest) => {
          const { limit, ...filter } = asked
          const matching = stored.filter(
            (event) =>
              event.seq > (filter.after ?? -1) &&
              event.seq < (filter.before ?? Infinity) &&
              event.at >= (filter.since ?? -1) &&
              event.at < (filter.until ?? Infinity) &&
              (filter.agentIds?.some((id) => id === event.agentId) ?? true) &&
              (filter.types ?? types).includes(event.type) &&
              event.agentId === (filter.agentId ?? event.agentId),
          )
          if (newest === undefined)
            expect(await own.store.events.list(asked)).toEqual(matching.slice(0, limit ?? Infinity))
          else
            expect(await own.store.events.list({ ...filter, last: newest })).toEqual(
              newest === 0 ? [] : matching.slice(-newest),
            )
        }),
      )
      await own.dispose()
    })
  })
}
