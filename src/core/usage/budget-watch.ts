import type { Agent } from '../../domain/records.ts'
import { budgetUses, costOf, hasBudgets, hasMoneyBudget } from './budgets.ts'
import { dedupeKeyOf, type NewEvent } from '../../events/event.ts'
import type { Deps } from '../deps.ts'

/**
 * Reports budgets that are nearly or wholly used: once for each threshold and value of the limit,
 * so that a raised budget is reported anew. Reads the records; calls that come while it is at work
 * are served together by one more look.
 */
export function createBudgetWatch({
  store,
  publisher,
  settings,
}: Pick<Deps, 'store' | 'publisher' | 'settings'>): { check: () => Promise<void> } {
  /** Keys that are published; the store knows them too, this spares it the question. */
  const published = new Set<string>()
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined

  const once = async (event: NewEvent): Promise<void> => {
    const key = dedupeKeyOf(event)
    if (key === null || published.has(key)) return
    await publisher.publish(event)
    published.add(key)
  }

  const unpriced = async (
    agents: readonly Agent[],
    prices: Parameters<typeof costOf>[1],
  ): Promise<void> => {
    for (const agent of agents) {
      for (const model of costOf(agent.usage, prices).unpriced) {
        await once({
          type: 'budget.unpriced',
          agentId: agent.id,
          actor: 'daemon',
          payload: { name: agent.name, model },
        })
      }
    }
  }

  const look = async (): Promise<void> => {
    const { limits, prices } = (await settings.snapshot()).config
    if (!hasBudgets(limits)) return
    const agents = await store.agents.list()
    for (const { agentId, level, ...payload } of budgetUses(agents, limits, prices)) {
      if (level === 'fine') continue
      await once({ type: `budget.${level}`, agentId, actor: 'daemon', payload })
    }
    if (hasMoneyBudget(limits)) await unpriced(agents, prices)
  }

  const start = (): Promise<void> =>
    (running = look().finally(() => {
      running = undefined
    }))

  return {
    check: () => {
      if (running === undefined) return start()
      next ??= running
        .catch(() => {}) // reported to those who asked for it
        .then(() => {
          next = undefined
          return start()
        })
      return next
    },
  }
}
