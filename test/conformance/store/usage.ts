import { describe, expect, it } from 'vitest'
import { newAgentId } from '../../../src/domain/ids.ts'
import type { UsageHour } from '../../../src/domain/records.ts'
import type { OpenedStore } from './suite.ts'

const HOUR = 3_600_000

export function usageVerbs(open: () => Promise<OpenedStore>): void {
  describe('usage', () => {
    it('adds up what an agent used of a model in an hour, over a restart, and forgets old hours', async () => {
      const own = await open()
      const [one, other] = [newAgentId(), newAgentId()].toSorted()
      const use = (given: Partial<UsageHour>): UsageHour => ({
        ...{ agentId: one ?? newAgentId(), hour: HOUR, model: 'm' },
        ...{ input: 1, output: 2, cacheRead: 3, cacheWrite: 4_000_000_000 },
        ...given,
      })
      await own.store.usage.add(use({}))
      await own.store.usage.add(use({ model: 'n' }))
      await own.store.usage.add(use({ hour: 2 * HOUR, agentId: other ?? newAgentId() }))
      await own.reopen()
      await own.store.usage.add(use({ input: 10, cacheRead: -1 }))
      const sum = use({ input: 11, output: 4, cacheRead: 2, cacheWrite: 8_000_000_000 })
      const second = use({ hour: 2 * HOUR, agentId: other ?? newAgentId() })
      expect(await own.store.usage.list({})).toEqual([sum, use({ model: 'n' }), second])
      expect(await own.store.usage.list({ since: 2 * HOUR })).toEqual([second])
      expect(await own.store.usage.list({ until: 2 * HOUR })).toHaveLength(2)
      expect(await own.store.usage.prune(2 * HOUR)).toBe(2)
      expect(await own.store.usage.list({})).toEqual([second])
      await own.dispose()
    })
  })
}
