import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { firstRed, probePoints } from '../../../../src/core/fold/search.ts'

describe('the search for the first red one', () => {
  it('finds it in as few rounds as the probes allow', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 40 }),
        fc.nat({ max: 39 }),
        fc.integer({ min: 1, max: 4 }),
        async (count, where, probes) => {
          const first = (where % count) + 1
          let rounds = 0
          let runs = 0
          const found = await firstRed({
            green: 0,
            red: count,
            probes: () => {
              rounds += 1
              return probes
            },
            probe: async (index) => {
              runs += 1
              return index < first ? 'green' : 'red'
            },
          })
          expect(found).toEqual({ green: first - 1, red: first })
          expect(rounds).toBeLessThanOrEqual(Math.ceil(Math.log(count) / Math.log(probes + 1)) + 1)
          expect(runs).toBeLessThanOrEqual(rounds * probes)
        },
      ),
      { numRuns: 300 },
    )
  })

  it('looks evenly, never at the ends, never twice at one place', () => {
    expect(probePoints(0, 3, 2)).toEqual([1, 2])
    expect(probePoints(0, 9, 2)).toEqual([3, 6])
    expect(probePoints(4, 6, 5)).toEqual([5])
    expect(probePoints(4, 5, 2)).toEqual([])
    for (let red = 1; red < 30; red++) {
      for (let probes = 1; probes < 5; probes++) {
        const points = probePoints(0, red, probes)
        expect(new Set(points).size).toBe(points.length)
        for (const point of points) expect(point > 0 && point < red).toBe(true)
        if (red > 1) expect(points.length).toBeGreaterThan(0)
      }
    }
  })

  it('goes on behind the last green one where the probes do not agree', async () => {
    const results: Record<number, 'green' | 'red'> = { 3: 'red', 6: 'green', 7: 'green', 8: 'red' }
    expect(
      await firstRed({
        green: 0,
        red: 9,
        probes: () => 2,
        probe: async (index) => results[index] ?? 'red',
      }),
    ).toEqual({ green: 7, red: 8 })
  })

  it('ends without a result where a probe can’t be had', async () => {
    expect(
      await firstRed({ green: 0, red: 9, probes: () => 2, probe: async () => undefined }),
    ).toBeUndefined()
    expect(
      await firstRed({
        green: 0,
        red: 9,
        probes: () => 2,
        probe: async (index) => (index === 3 ? undefined : 'red'),
      }),
    ).toBeUndefined()
    expect(
      await firstRed({ green: 0, red: 1, probes: () => 2, probe: async () => undefined }),
    ).toEqual({ green: 0, red: 1 })
  })
})
