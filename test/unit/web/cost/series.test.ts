import { describe, expect, it } from 'vitest'
import { seriesOf, sorted, summed } from '../../../../web/src/views/cost/series.ts'

const HOUR = 3_600_000
const NONE = { input: 0, output: 0, cache_read: 0, cache_write: 0, unpriced_models: [] }

const group = (key: string, tokens: number, cost_usd: number | null) => ({
  ...NONE,
  ...{ key, name: key, tokens, cost_usd },
})
const part = (key: string, tokens: number, cost_usd: number | null = null) => ({
  ...{ key, tokens, cost_usd },
})

describe('what the plot draws', () => {
  it('has a column for each step, also for those in which nothing was used', () => {
    const used = {
      step_seconds: 3600,
      groups: [group('a', 30, 1), group('b', 12, 5)],
      steps: [
        { start: 10 * HOUR, parts: [part('a', 30, 1), part('b', 2, 2)] },
        { start: 13 * HOUR, parts: [part('b', 10, 3)] },
      ],
    }
    expect(seriesOf(used, 'tokens')).toEqual({
      starts: [10, 11, 12, 13].map((hour) => hour * HOUR),
      parts: [
        { key: 'a', name: 'a', values: [30, 0, 0, 0] },
        { key: 'b', name: 'b', values: [2, 0, 0, 10] },
      ],
      totals: [32, 0, 0, 10],
    })
    const money = seriesOf(used, 'money')
    expect(money.parts.map(({ key }) => key)).toEqual(['b', 'a'])
    expect(summed(money.totals, 4)).toEqual([7, 7, 7, 10])
    expect(seriesOf({ ...used, steps: [] }, 'money').starts).toEqual([])
  })

  it('puts together what has no colour of its own, and leaves out nothing', () => {
    const names = 'abcdefgh'.split('')
    const series = seriesOf(
      {
        step_seconds: 3600,
        groups: names.map((name, index) => group(name, 100 - index, null)),
        steps: [{ start: 0, parts: names.map((name, index) => part(name, 100 - index)) }],
      },
      'tokens',
    )
    expect(series.parts.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd', 'e', '3 others'])
    expect(series.parts.at(-1)?.values).toEqual([95 + 94 + 93])
    expect(series.totals).toEqual([names.reduce((sum, _, index) => sum + 100 - index, 0)])
  })
})

describe('the table', () => {
  it('has the greatest first, what has no price last, names from a to z; and the other way round', () => {
    const groups = [group('b', 1, null), group('c', 3, 2), group('a', 2, 9)]
    const names = (...by: [Parameters<typeof sorted>[1], boolean]) =>
      sorted(groups, ...by)
        .map(({ name }) => name)
        .join('')
    expect(names('cost_usd', false)).toBe('acb')
    expect(names('tokens', false)).toBe('cab')
    expect(names('name', false)).toBe('abc')
    expect(names('tokens', true)).toBe('bac')
  })
})
