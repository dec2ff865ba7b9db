import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Agent, Usage } from '../../../../src/domain/records.ts'
import { configSchema, type Config } from '../../../../src/config/schema.ts'
import {
  amountsOf,
  budgetUses,
  costOf,
  priceOf,
  requireBudget,
  tokensOf,
} from '../../../../src/core/usage/budgets.ts'
import { sumOf, withSession } from '../../../../src/core/usage/usage.ts'
import { ExomonadError } from '../../../../src/domain/errors.ts'
import type { AgentId } from '../../../../src/domain/ids.ts'
import { makeAgent } from '../make-agent.ts'

const config = (limits: Partial<Config['limits']>, prices: Record<string, object> = {}): Config =>
  configSchema.parse({ limits, prices })
const use = (input: number, output = 0, cacheRead = 0, cacheWrite = 0) => ({
  input,
  output,
  cacheRead,
  cacheWrite,
})
const usage = (models: Usage['models']): Usage => ({ models })
const refusal = (work: () => void): ExomonadError | undefined => {
  try {
    work()
    return undefined
  } catch (thrown) {
    if (thrown instanceof ExomonadError) return thrown
    throw thrown
  }
}

/** A tree from parents by index (0 is the root), with what each used. */
const treeOf = (
  rows: readonly { parent: number; tokens: number; toolCalls?: number; usage?: Usage | null }[],
): Agent[] => {
  const agents: Agent[] = []
  for (const [index, { parent, ...facts }] of rows.entries()) {
    agents.push(
      makeAgent({
        name: `a${index}`,
        kind: index === 0 ? 'root' : 'worker',
        parentId: index === 0 ? null : (agents[parent]?.id ?? null),
        ...facts,
      }),
    )
  }
  return agents
}

describe('prices', () => {
  const { prices } = config(
    {},
    {
      'opus-4': { input: 15, output: 75, cache_read: 1.5, cache_write: 18.75 },
      opus: { input: 1, output: 2 },
    },
  )

  it('are found by name, else by the longest beginning', () => {
    expect(priceOf(prices, 'opus-4')?.input).toBe(15)
    expect(priceOf(prices, 'opus-4-20260101')?.input).toBe(15)
    expect(priceOf(prices, 'opus-3')?.input).toBe(1)
    expect(priceOf(prices, 'sonnet')).toBeUndefined()
    expect(priceOf(prices, 'constructor')).toBeUndefined()
  })

  it('make a cost of every kind of token, in USD per million', () => {
    expect(
      costOf(usage({ 'opus-4': use(1_000_000, 100_000, 2_000_000, 400_000) }), prices).usd,
    ).toBeCloseTo(15 + 7.5 + 3 + 7.5)
  })

  it('count the cache as input where it has no price of its own', () => {
    expect(costOf(usage({ 'opus-3': use(0, 0, 1_000_000, 1_000_000) }), prices).usd).toBeCloseTo(2)
  })

  it('name what they lack instead of taking it for free', () => {
    const cost = costOf(usage({ opus: use(1_000_000), sonnet: use(5), unused: use(0) }), prices)
    expect(cost).toEqual({ usd: 1, unpriced: ['sonnet'] })
  })

  it('have nothing to say where nothing is known', () => {
    expect(costOf(null, prices)).toEqual({ usd: 0, unpriced: [] })
  })
})

describe('sums over the tree', () => {
  const anyTree = fc
    .array(fc.record({ parent: fc.nat(), tokens: fc.nat(1_000_000), toolCalls: fc.nat(1000) }), {
      minLength: 1,
      maxLength: 30,
    })
    .map((rows) =>
      treeOf(rows.map((row, index) => ({ ...row, parent: index === 0 ? 0 : row.parent % index }))),
    )

  it('give the root what all used, and a leaf what it used itself', () => {
    fc.assert(
      fc.property(anyTree, (agents) => {
        const amounts = amountsOf(agents, {})
        const [root] = agents
        expect(amounts.get(root?.id as AgentId)?.subtree.tokens).toBe(
          agents.reduce((sum, { tokens }) => sum + tokens, 0),
        )
        for (const agent of agents.filter(
          ({ id }) => !agents.some(({ parentId }) => parentId === id),
        )) {
          expect(amounts.get(agent.id)?.subtree).toEqual(amounts.get(agent.id)?.agent)
        }
      }),
    )
  })

  it('give a parent itself and its children’s subtrees, in whatever order they are listed', () => {
    fc.assert(
      fc.property(anyTree, fc.boolean(), (agents, turned) => {
        const amounts = amountsOf(turned ? agents.toReversed() : agents, {})
        for (const agent of agents) {
          const children = agents.filter(({ parentId }) => parentId === agent.id)
          const below = children.reduce(
            (sum, { id }) => sum + (amounts.get(id)?.subtree.tool_calls ?? Number.NaN),
            0,
          )
          expect(amounts.get(agent.id)?.subtree.tool_calls).toBe(agent.toolCalls + below)
        }
      }),
    )
  })

  it('end on records that lead round in a circle', () => {
    const [one, other] = treeOf([
      { parent: 0, tokens: 1 },
      { parent: 0, tokens: 2 },
    ]) as [Agent, Agent]
    const amounts = amountsOf([{ ...one, parentId: other.id }, other], {})
    expect(amounts.get(one.id)?.subtree.tokens).toBe(3)
  })
})

describe('budgets', () => {
  const agents = treeOf([
    { parent: 0, tokens: 100 },
    { parent: 0, tokens: 700 },
    { parent: 1, tokens: 50 },
    { parent: 0, tokens: 1 },
  ])
  const [root, lead, worker, other] = agents.map(({ id }) => id) as [
    AgentId,
    AgentId,
    AgentId,
    AgentId,
  ]
  const levels = (limits: Partial<Config['limits']>) => {
    const { limits: all, prices } = config(limits)
    return Object.fromEntries(
      budgetUses(agents, all, prices).map(({ name, level }) => [name, level]),
    )
  }

  it('are fine, warn from 80 %, and are exhausted at 100 %', () => {
    expect(levels({ tokens_per_agent: 875 })).toEqual({
      a0: 'fine',
      a1: 'warning',
      a2: 'fine',
      a3: 'fine',
    })
    expect(levels({ tokens_per_agent: 876 })['a1']).toBe('fine')
    expect(levels({ tokens_per_agent: 701 })['a1']).toBe('warning')
    expect(levels({ tokens_per_agent: 700 })['a1']).toBe('exhausted')
    expect(levels({ tokens_per_subtree: 750 })).toEqual({
      a0: 'exhausted',
      a1: 'exhausted',
      a2: 'fine',
      a3: 'fine',
    })
  })

  it('are none where none is configured', () => {
    expect(levels({})).toEqual({})
    expect(refusal(() => requireBudget(lead, agents, config({})))).toBeUndefined()
  })

  it('of an agent alone stop its own spawns, nobody else’s', () => {
    const spent = config({ tokens_per_agent: 700 })
    expect(refusal(() => requireBudget(lead, agents, spent))?.code).toBe('LIMIT_REACHED')
    for (const id of [root, worker, other])
      expect(refusal(() => requireBudget(id, agents, spent))).toBeUndefined()
  })

  it('of a subtree stop spawns everywhere in it, and only there', () => {
    const small = agents.map((agent) => (agent.id === root ? { ...agent, tokens: 0 } : agent))
    const spent = config({ tokens_per_subtree: 751 })
    // 700 + 50 + 1 below the root, 750 below the lead.
    for (const id of [root, lead, worker, other])
      expect(refusal(() => requireBudget(id, small, spent))?.facts['agent']).toBe(root)
    const apart = small.filter(({ id }) => id !== other)
    expect(
      refusal(() => requireBudget(worker, apart, config({ tokens_per_subtree: 750 })))?.code,
    ).toBe('LIMIT_REACHED')
    expect(
      refusal(() => requireBudget(worker, apart, config({ tokens_per_subtree: 751 }))),
    ).toBeUndefined()
  })

  it('say the numbers, the key and what to do', () => {
    const priced = config({ money_per_subtree: 5 }, { opus: { input: 15, output: 75 } })
    const spent = agents.map((agent) =>
      agent.id === lead ? { ...agent, usage: usage({ 'opus-4': use(400_000) }) } : agent,
    )
    const error = refusal(() => requireBudget(worker, spent, priced))
    expect(error?.message).toMatch(
      /^a0 and all below it have used \$6\.00 of \$5\.00 \(limits\.money_per_subtree\).*ask the human to raise it/,
    )
    expect(error?.facts).toMatchObject({
      used: 6,
      limit: 5,
      kind: 'money',
      scope: 'subtree',
      agent: root,
    })
  })
})

describe('what a conversation used', () => {
  const tokens = fc.nat(10_000)
  const anyUse = fc.record({ input: tokens, output: tokens, cacheRead: tokens, cacheWrite: tokens })
  const anyUsage = fc
    .dictionary(fc.constantFrom('opus', 'haiku'), anyUse)
    .map((models) => ({ models }))
  const anyReadings = fc.array(fc.tuple(fc.constantFrom('', 's1', 's2', 's3'), anyUsage), {
    maxLength: 12,
  })

  it('never shrinks, whatever the program says and whichever session it is in', () => {
    fc.assert(
      fc.property(anyReadings, (readings) => {
        let known: Record<string, Usage> = {}
        let before = 0
        for (const [session, found] of readings.filter(([session]) => session !== '')) {
          known = withSession(known, session, found)
          const now = tokensOf(sumOf(Object.values(known)))
          expect(now).toBeGreaterThanOrEqual(before)
          before = now
        }
      }),
    )
  })

  it('is the sum of the sessions, each as it was last reported', () => {
    let known = withSession({}, 's1', usage({ opus: use(10) }))
    known = withSession(known, 's1', usage({ opus: use(30) }))
    known = withSession(known, 's2', usage({ opus: use(5), haiku: use(1) }))
    known = withSession(known, 's1', usage({ opus: use(31) }))
    expect(sumOf(Object.values(known))).toEqual(usage({ opus: use(36), haiku: use(1) }))
  })

  it('is not counted twice where the session got its id later', () => {
    const known = withSession(
      withSession({}, '', usage({ opus: use(10) })),
      's1',
      usage({ opus: use(12) }),
    )
    expect(tokensOf(sumOf(Object.values(known)))).toBe(12)
  })
})
