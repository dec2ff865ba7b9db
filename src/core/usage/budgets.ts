import type { Agent, Usage } from '../../domain/records.ts'
import type { Config, Price } from '../../config/schema.ts'
import { ExomonadError } from '../../domain/errors.ts'
import type { AgentId } from '../../domain/ids.ts'
import { ancestorsOf } from '../agents/tree.ts'

/**
 * What agents used, against what they may. Pure: sums over the tree, prices, and what follows for a
 * spawn.
 */

export type BudgetKind = 'tokens' | 'tool_calls' | 'money'
export type BudgetScope = 'agent' | 'subtree'
type Prices = Config['prices']
type Limits = Config['limits']

const KINDS = ['tokens', 'tool_calls', 'money'] as const satisfies readonly BudgetKind[]
const SCOPES = ['agent', 'subtree'] as const satisfies readonly BudgetScope[]

/** From this part of a budget on its parent is notified. */
const WARN_AT = 0.8

/** One budget of one agent. `used` and `limit` in tokens, calls or USD. */
export interface BudgetUse {
  readonly agentId: AgentId
  readonly name: string
  readonly scope: BudgetScope
  readonly kind: BudgetKind
  readonly used: number
  readonly limit: number
  readonly level: 'fine' | 'warning' | 'exhausted'
}

/**
 * What a usage costs. `usd` is of the models that have a price; the others are named, not taken for
 * free.
 */
export interface Cost {
  readonly usd: number
  readonly unpriced: readonly string[]
}

/** By its name, else by the longest beginning of it that has a price. */
export function priceOf(prices: Prices, model: string): Price | undefined {
  if (Object.hasOwn(prices, model)) return prices[model]
  const prefix = Object.keys(prices)
    .filter((name) => name !== '' && model.startsWith(name))
    .toSorted((one, other) => other.length - one.length)[0]
  return prefix === undefined ? undefined : prices[prefix]
}

export function costOf(usage: Usage | null, prices: Prices): Cost {
  let usd = 0
  const unpriced: string[] = []
  for (const [model, tokens] of Object.entries(usage?.models ?? {})) {
    const price = priceOf(prices, model)
    if (price === undefined) {
      if (tokensOf({ models: { [model]: tokens } }) > 0) unpriced.push(model)
      continue
    }
    const { input, output, cache_read: cacheRead = input, cache_write: cacheWrite = input } = price
    usd +=
      (tokens.input * input +
        tokens.output * output +
        tokens.cacheRead * cacheRead +
        tokens.cacheWrite * cacheWrite) /
      1_000_000
  }
  return { usd, unpriced }
}

/** Of every kind and model. */
export const tokensOf = (usage: Usage): number =>
  Object.values(usage.models).reduce(
    (sum, { input, output, cacheRead, cacheWrite }) =>
      sum + input + output + cacheRead + cacheWrite,
    0,
  )

type Amounts = Readonly<Record<BudgetKind, number>>

const add = (one: Amounts, other: Amounts): Amounts => ({
  tokens: one.tokens + other.tokens,
  tool_calls: one.tool_calls + other.tool_calls,
  money: one.money + other.money,
})

/**
 * What each agent used alone, and with all below it. Agents whose parent is not in the list are
 * tops of their own.
 */
export function amountsOf(
  agents: readonly Agent[],
  prices: Prices,
): ReadonlyMap<AgentId, Readonly<Record<BudgetScope, Amounts>>> {
  const sums = new Map<AgentId, { agent: Amounts; subtree: Amounts }>()
  for (const agent of agents) {
    const own = {
      tokens: agent.tokens,
      tool_calls: agent.toolCalls,
      money: costOf(agent.usage, prices).usd,
    }
    sums.set(agent.id, { agent: own, subtree: own })
  }
  const parents = new Map(agents.map(({ id, parentId }) => [id, parentId]))
  for (const [id, { agent: own }] of sums) {
    // A record that leads round in a circle counts once.
    const seen = new Set([id])
    for (
      let above = parents.get(id);
      above !== null && above !== undefined && !seen.has(above);
      above = parents.get(above)
    ) {
      seen.add(above)
      const sum = sums.get(above)
      if (sum !== undefined) sum.subtree = add(sum.subtree, own)
    }
  }
  return sums
}

/** Whether the configuration has any budget. */
export const hasBudgets = (limits: Limits): boolean =>
  KINDS.some((kind) => SCOPES.some((scope) => limitOf(limits, kind, scope) !== undefined))

export const hasMoneyBudget = (limits: Limits): boolean =>
  SCOPES.some((scope) => limitOf(limits, 'money', scope) !== undefined)

const limitOf = (limits: Limits, kind: BudgetKind, scope: BudgetScope): number | undefined =>
  limits[`${kind}_per_${scope}`]

/** Every budget that holds for these agents, and how far it is used. */
export function budgetUses(agents: readonly Agent[], limits: Limits, prices: Prices): BudgetUse[] {
  if (!hasBudgets(limits)) return []
  const amounts = amountsOf(agents, prices)
  return agents.flatMap(({ id, name }) =>
    SCOPES.flatMap((scope) =>
      KINDS.flatMap((kind): BudgetUse[] => {
        const limit = limitOf(limits, kind, scope)
        const used = amounts.get(id)?.[scope][kind]
        if (limit === undefined || used === undefined) return []
        return [
          {
            agentId: id,
            name,
            scope,
            kind,
            used,
            limit,
            level: used >= limit ? 'exhausted' : used >= limit * WARN_AT ? 'warning' : 'fine',
          },
        ]
      }),
    ),
  )
}

/** LIMIT_REACHED where the caller’s own budget is used up, or that of a subtree it is in. */
export function requireBudget(
  caller: AgentId,
  agents: readonly Agent[],
  { limits, prices }: Pick<Config, 'limits' | 'prices'>,
): void {
  if (!hasBudgets(limits)) return
  const above = new Set(ancestorsOf(agents, caller).map(({ id }) => id))
  const inTheWay = budgetUses(agents, limits, prices).find(
    ({ agentId, scope, level }) =>
      level === 'exhausted' && (agentId === caller || (scope === 'subtree' && above.has(agentId))),
  )
  if (inTheWay === undefined) return
  const { agentId, name, scope, kind, used, limit } = inTheWay
  const key = `limits.${kind}_per_${scope}`
  throw new ExomonadError(
    'LIMIT_REACHED',
    `${name}${scope === 'subtree' ? ' and all below it have' : ' has'} used ${amount(kind, used)} of ${amount(kind, limit)} (${key}), so nothing more is spawned here. Go on with the agents there are, do the rest yourself, or ask the human to raise it.`,
    { limit, used, kind, scope, agent: agentId, key },
  )
}

const UNITS: Readonly<Record<BudgetKind, string>> = {
  tokens: ' tokens',
  tool_calls: ' tool calls',
  money: '',
}

const amount = (kind: BudgetKind, value: number): string =>
  kind === 'money' ? `$${value.toFixed(2)}` : `${value}${UNITS[kind]}`
