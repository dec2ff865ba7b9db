import type { Config } from '../../config/schema.ts'
import type { AgentId } from '../../domain/ids.ts'
import type { Agent, UsageHour } from '../../domain/records.ts'
import { descendantsOf, resolveAddress } from '../agents/tree.ts'
import type { Deps } from '../deps.ts'
import { budgetUses, priceOf } from './budgets.ts'
import type { UsageAmount, UsageQuery, UsageView } from './usage-document.ts'

const HOUR = 3_600_000
const STEPS = { hour: HOUR, day: 24 * HOUR } as const

/** What agents used over time, of the hours in the store and the prices of now. */
export function createUsageView({
  store,
  settings,
  clock,
}: Pick<Deps, 'store' | 'settings' | 'clock'>): (query: UsageQuery) => Promise<UsageView> {
  return async ({ since, until, under, by, step: name }) => {
    const { config } = await settings.snapshot()
    const agents = await store.agents.list()
    const top =
      under === undefined
        ? agents.find(({ kind }) => kind === 'root')
        : resolveAddress(agents, under)
    const within =
      under === undefined || top === undefined ? agents : [top, ...descendantsOf(agents, top.id)]
    const ids = new Set<string>(within.map(({ id }) => id))
    // Of agents that were taken back only hours are left, which are the whole tree’s.
    const rows = (await store.usage.list(definedOf({ since, until }))).filter(
      ({ agentId }) => under === undefined || ids.has(agentId),
    )
    const step = STEPS[name]
    const sums = sumUp(rows, { step, prices: config.prices, keyOf: keysOf(by, top?.id, within) })
    const names = new Map<string, string>(agents.map((agent) => [agent.id, agent.name]))
    const isAll = since === undefined && until === undefined
    return {
      since: rows[0] === undefined ? (since ?? clock()) : floor(rows[0].hour, step),
      until: until ?? clock(),
      step_seconds: step / 1000,
      by,
      total: sums.total,
      groups: sums.groups.map(({ key, ...amount }) => ({
        ...{ key, name: names.get(key) ?? key },
        ...amount,
      })),
      steps: sums.steps,
      undated_tokens: isAll ? undated(within, sums.total.tokens) : null,
      budgets: budgetUses(agents, config.limits, config.prices)
        .filter(
          ({ agentId, level }) =>
            ids.has(agentId) &&
            (level !== 'fine' ||
              agentId === top?.id ||
              agents.find(({ id }) => id === agentId)?.parentId === top?.id),
        )
        .map(({ agentId, ...use }) => ({ agent_id: agentId, ...use })),
    }
  }
}

const undated = (agents: readonly Agent[], dated: number): number =>
  Math.max(0, agents.reduce((sum, { tokens }) => sum + tokens, 0) - dated)

const floor = (at: number, step: number): number => Math.floor(at / step) * step

const definedOf = ({
  since,
  until,
}: {
  since?: number | undefined
  until?: number | undefined
}) => ({
  ...(since === undefined ? {} : { since: floor(since, HOUR) }),
  ...(until === undefined ? {} : { until }),
})

/** What a row counts for. */
function keysOf(
  by: UsageQuery['by'],
  top: AgentId | undefined,
  agents: readonly Agent[],
): (row: UsageHour) => string {
  if (by === 'model') return ({ model }) => model
  if (by === 'agent') return ({ agentId }) => agentId
  const parents = new Map(agents.map(({ id, parentId }) => [id, parentId]))
  const known = new Map<AgentId, string>()
  const topOf = (id: AgentId): string => {
    let at = id
    for (let steps = 0; steps <= agents.length; steps++) {
      const above = parents.get(at)
      if (at === top || above === null || above === undefined || above === top) return at
      at = above
    }
    return id
  }
  return ({ agentId }) => {
    const key = known.get(agentId) ?? topOf(agentId)
    known.set(agentId, key)
    return key
  }
}

interface Sum {
  input: number
  output: number
  cacheRead: number
  cacheWrite: number
  usd: number
  isPriced: boolean
  readonly unpriced: Set<string>
}

const nothing = (): Sum => ({
  ...{ input: 0, output: 0, cacheRead: 0, cacheWrite: 0, usd: 0, isPriced: false },
  unpriced: new Set(),
})

/** Pure: rows in the order of hours, in one go. */
export function sumUp(
  rows: readonly UsageHour[],
  {
    step,
    prices,
    keyOf,
  }: { step: number; prices: Config['prices']; keyOf: (row: UsageHour) => string },
): Pick<UsageView, 'total' | 'steps'> & { groups: (UsageAmount & { key: string })[] } {
  const total = nothing()
  const groups = new Map<string, Sum>()
  const steps = new Map<number, Map<string, Sum>>()
  const priced = new Map<string, ReturnType<typeof priceOf>>()
  for (const row of rows) {
    if (!priced.has(row.model)) priced.set(row.model, priceOf(prices, row.model))
    const price = priced.get(row.model)
    const key = keyOf(row)
    const start = floor(row.hour, step)
    const parts = getOrMake(steps, start, () => new Map<string, Sum>())
    for (const sum of [total, getOrMake(groups, key, nothing), getOrMake(parts, key, nothing)]) {
      sum.input += row.input
      sum.output += row.output
      sum.cacheRead += row.cacheRead
      sum.cacheWrite += row.cacheWrite
      if (price === undefined) sum.unpriced.add(row.model)
      else {
        const { input, output, cache_read: read = input, cache_write: write = input } = price
        sum.isPriced = true
        sum.usd +=
          (row.input * input +
            row.output * output +
            row.cacheRead * read +
            row.cacheWrite * write) /
          1_000_000
      }
    }
  }
  return {
    total: amountOf(total),
    groups: [...groups]
      .map(([key, sum]) => ({ key, ...amountOf(sum) }))
      .toSorted((one, other) => other.tokens - one.tokens || (one.key < other.key ? -1 : 1)),
    steps: [...steps].map(([start, parts]) => ({
      start,
      parts: [...parts].map(([key, sum]) => {
        const { tokens, cost_usd } = amountOf(sum)
        return { key, tokens, cost_usd }
      }),
    })),
  }
}

function getOrMake<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}

const amountOf = (sum: Sum): UsageAmount => ({
  tokens: sum.input + sum.output + sum.cacheRead + sum.cacheWrite,
  input: sum.input,
  output: sum.output,
  cache_read: sum.cacheRead,
  cache_write: sum.cacheWrite,
  cost_usd: sum.isPriced ? sum.usd : null,
  unpriced_models: [...sum.unpriced].toSorted(),
})
