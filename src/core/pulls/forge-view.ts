import type { Forge } from '../../adapters/forge/forge.ts'
import type { ForgeBudget, RateLimit } from '../../adapters/forge/budget.ts'
import type { StoreVerbs } from '../../adapters/store/store.ts'
import type { ForgeView } from '../agents/tree-document.ts'
import { knownForgeHealth } from './forge-health.ts'

/** The forge as people are shown it: nothing is asked of it. */
export async function forgeView(
  forge: Pick<Forge, 'kind' | 'budget'>,
  store: Pick<StoreVerbs, 'snapshots'>,
): Promise<ForgeView> {
  const health = await knownForgeHealth(store)
  const budget = forge.budget()
  return {
    kind: forge.kind,
    budget: budget === null ? null : budgetView(budget),
    trouble:
      health === undefined
        ? null
        : {
            since: iso(health.since),
            code: health.code,
            reason: health.reason,
            retry_at: health.retryAt === null ? null : iso(health.retryAt),
          },
  }
}

const budgetView = ({
  points,
  requests,
  blockedUntil,
  slowdown,
}: ForgeBudget): NonNullable<ForgeView['budget']> => ({
  points: limitView(points),
  requests: limitView(requests),
  blocked_until: blockedUntil === null ? null : iso(blockedUntil),
  slowdown,
})

const limitView = (limit: RateLimit | null): NonNullable<ForgeView['budget']>['points'] =>
  limit === null
    ? null
    : { limit: limit.limit, remaining: limit.remaining, reset_at: iso(limit.resetAt) }

const iso = (at: number): string => new Date(at).toISOString()
