import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { configSchema } from '../../../../src/config/schema.ts'
import { usedSince } from '../../../../src/core/usage/usage.ts'
import { createUsageView } from '../../../../src/core/usage/usage-view.ts'
import { newAgentId } from '../../../../src/domain/ids.ts'
import type { Agent, Usage, UsageHour } from '../../../../src/domain/records.ts'
import { createPalette } from '../../../../src/surfaces/text/palette.ts'
import { usageLines } from '../../../../src/surfaces/cli/agents/usage-lines.ts'
import { settingsOf } from '../../../helpers/settings.ts'
import { makeAgent } from '../make-agent.ts'

const HOUR = 3_600_000
const root = makeAgent({ name: 'main', kind: 'root', depth: 0 })
const lead = makeAgent({ name: 'lead', kind: 'subtree', parentId: root.id, tokens: 40 })
const worker = makeAgent({ name: 'worker', parentId: lead.id, tokens: 1_000_000 })
const other = makeAgent({ name: 'other', parentId: root.id })
const AGENTS = [root, lead, worker, other]

const use = (agent: Pick<Agent, 'id'>, hour: number, model: string, input: number): UsageHour => ({
  ...{ agentId: agent.id, hour: hour * HOUR, model, input },
  ...{ output: 0, cacheRead: 0, cacheWrite: 0 },
})
const ROWS = [
  use(lead, 1, 'big', 30),
  use(worker, 1, 'big', 100),
  use(worker, 2, 'small', 200),
  use(other, 30, 'small', 7),
  // Of one that was taken back.
  use({ id: newAgentId() }, 30, 'small', 1),
]

const view = (rows: readonly UsageHour[] = ROWS) =>
  createUsageView({
    store: {
      agents: { list: async () => AGENTS },
      usage: {
        list: async ({ since = 0, until = Infinity }) =>
          rows.filter(({ hour }) => hour >= since && hour < until),
      },
    } as never,
    settings: settingsOf(() =>
      configSchema.parse({
        prices: { big: { input: 1_000_000, output: 0 } },
        limits: { tokens_per_subtree: 1_000_100 },
      }),
    ),
    clock: () => 50 * HOUR,
  })
const parts = (groups: readonly { name: string; tokens: number; cost_usd: number | null }[]) =>
  groups.map(({ name, tokens, cost_usd }) => [name, tokens, cost_usd])

describe('what was used over time', () => {
  it('is told by subtree, agent and model, each with its own hours', async () => {
    const bySubtree = await view()({ by: 'subtree', step: 'hour' })
    expect(parts(bySubtree.groups).slice(0, 2)).toEqual([
      ['lead', 330, 130],
      ['other', 7, null],
    ])
    expect(bySubtree.total).toMatchObject({
      tokens: 338,
      cost_usd: 130,
      unpriced_models: ['small'],
    })
    expect(bySubtree.steps.map(({ start }) => start / HOUR)).toEqual([1, 2, 30])
    expect(bySubtree.steps[0]?.parts).toEqual([{ key: lead.id, tokens: 130, cost_usd: 130 }])
    const byModel = await view()({ by: 'model', step: 'day' })
    expect(parts(byModel.groups)).toEqual([
      ['small', 208, null],
      ['big', 130, 130],
    ])
    expect(byModel.steps.map(({ start }) => start / HOUR)).toEqual([0, 24])
    const byAgent = await view()({ by: 'agent', step: 'hour', under: 'lead' })
    expect(parts(byAgent.groups)).toEqual([
      ['worker', 300, 100],
      ['lead', 30, 30],
    ])
    // What stands in their rows and in no hour.
    expect(byAgent.undated_tokens).toBe(1_000_040 - 330)
  })

  it('is of the hours that were asked for', async () => {
    const { total, undated_tokens: undated } = await view()({
      ...{ by: 'model', step: 'hour' },
      ...{ since: 2.5 * HOUR, until: 3 * HOUR },
    })
    expect([total.tokens, undated]).toEqual([200, null])
    expect(await view([])({ by: 'model', step: 'hour' })).toMatchObject({ groups: [], steps: [] })
  })

  it('has the budgets of the top and its children, and whose is nearly used up', async () => {
    const { budgets } = await view()({ by: 'model', step: 'hour' })
    expect(budgets.map(({ name, level }) => [name, level])).toEqual([
      ['main', 'warning'],
      ['lead', 'warning'],
      ['worker', 'warning'],
      ['other', 'fine'],
    ])
  })

  it('is a table', async () => {
    const lines = usageLines(await view()({ by: 'subtree', step: 'hour' }), {
      ...{ palette: createPalette(false), width: 80 },
    })
    expect(lines[0]).toMatch(/^SUBTREE +TOKENS +IN +OUT +CACHE +COST$/)
    expect(lines[1]).toMatch(/^lead +330 +330 +0 +0 +\$130\.00\+$/)
    expect(lines.join('\n')).toMatch(/all +338 [^\n]*\n1,000,040|all +338/)
    expect(lines.at(-1)).toBe('worker and all below it: 1,000,000 tokens of 1,000,100 tokens')
  })

  it('adds up to what the agent’s own row has, whatever its program reports', () => {
    const amounts = fc.record({
      ...{ input: fc.nat(9), output: fc.nat(9), cacheRead: fc.nat(9), cacheWrite: fc.nat(9) },
    })
    const usage: fc.Arbitrary<Usage> = fc.record({
      models: fc.dictionary(fc.constantFrom('a', 'b', 'c'), amounts),
    })
    fc.assert(
      fc.property(fc.array(usage, { minLength: 1, maxLength: 6 }), (readings) => {
        const sums = new Map<string, number>()
        let before: Usage | null = null
        for (const now of readings) {
          for (const { model, input, output, cacheRead, cacheWrite } of usedSince(before, now))
            sums.set(
              model,
              (sums.get(model) ?? 0) + input + 10 * output + 100 * cacheRead + 1000 * cacheWrite,
            )
          before = now
        }
        for (const model of ['a', 'b', 'c']) {
          const {
            input = 0,
            output = 0,
            cacheRead = 0,
            cacheWrite = 0,
          } = before?.models[model] ?? {}
          expect(sums.get(model) ?? 0).toBe(
            input + 10 * output + 100 * cacheRead + 1000 * cacheWrite,
          )
        }
      }),
    )
  })
})
