import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chooseSubsets, findRedSet, type Places } from '../../../../src/core/fold/red-set.ts'

/** A row that is red where all of one of these are there. */
function row(count: number, reasons: readonly Places[], probes: number) {
  let rounds = 0
  let runs = 0
  let open = 0
  const check = async (places: Places): Promise<'green' | 'red'> => {
    if (open === 0) rounds += 1
    open += 1
    runs += 1
    await Promise.resolve()
    open -= 1
    return reasons.some((reason) => reason.every((place) => places.includes(place)))
      ? 'red'
      : 'green'
  }
  return {
    find: () => findRedSet({ count, probes, check }),
    rounds: () => rounds,
    runs: () => runs,
  }
}

/** Two different places of a row, in order. */
const pairsOf = (count: number): Places[] =>
  Array.from({ length: count }, (_, one) =>
    Array.from({ length: count - one - 1 }, (_other, more) => [one, one + more + 1]),
  ).flat()

const within = (count: number) => fc.nat({ max: count - 1 })

describe('the subsets that are checked together', () => {
  it.each([
    [1, 105],
    [2, 55],
    [3, 36],
  ])(
    '%i leave of the 210 candidates of a row of 20 at most %i, whatever their results',
    (count, most) => {
      const places = Array.from({ length: 20 }, (_, place) => place)
      const candidates = [...places.map((place) => [place]), ...pairsOf(20)]
      let state = 42
      const random = () => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31
      const subsets = chooseSubsets(places, candidates, count, random)
      expect(subsets).toHaveLength(count)
      const left = new Map<string, number>()
      for (const candidate of candidates) {
        const results = subsets
          .map((subset) => candidate.every((place) => subset.includes(place)))
          .join()
        left.set(results, (left.get(results) ?? 0) + 1)
      }
      expect(Math.max(...left.values())).toBeLessThanOrEqual(most)
    },
  )

  it('are none where there is nothing to distinguish', () => {
    expect(chooseSubsets([3], [[3]], 2, () => 0.5)).toEqual([])
  })
})

describe('the search for what makes a row red', () => {
  it('finds the one or the two, in rounds that each leave a share of the candidates', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 2, max: 30 }),
        fc.nat(),
        fc.nat(),
        fc.integer({ min: 1, max: 3 }),
        async (count, one, other, probes) => {
          const reason = [...new Set([one % count, other % count])].toSorted((a, b) => a - b)
          const { find, rounds } = row(count, [reason], probes)
          expect(await find()).toEqual(reason)
          const candidates = (count * (count + 1)) / 2
          expect(rounds()).toBeLessThanOrEqual(Math.ceil(Math.log2(candidates) / probes) + 2)
        },
      ),
      { numRuns: 100 },
    )
  })

  it('ends with one or two, or without, where there are several reasons that do not agree', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(within(12), within(12)), { minLength: 1, maxLength: 4 }),
        async (pairs) => {
          const reasons = pairs.map((pair) => [...new Set(pair)].toSorted((a, b) => a - b))
          const { find } = row(12, reasons, 2)
          const found = await find()
          // What is said is checked by itself; of one reason alone it is right.
          if (reasons.length === 1) expect(found).toEqual(reasons[0])
          else if (found !== 'unexplained')
            expect(found).toHaveProperty(
              'length',
              expect.toSatisfy((length: number) => length === 1 || length === 2),
            )
        },
      ),
      { numRuns: 100 },
    )
  })

  it('does not make up a pair where it takes three: what it says is not red by itself, or it says nothing', async () => {
    for (let first = 0; first < 4; first++) {
      const reason = [first, first + 3, first + 5]
      const found = await row(10, [reason], 2).find()
      if (found !== 'unexplained')
        expect(reason.every((place) => (found as Places).includes(place))).toBe(false)
    }
  })

  it('ends where a check can’t be had', async () => {
    expect(await findRedSet({ count: 5, probes: 2, check: async () => undefined })).toBeUndefined()
    let runs = 0
    expect(
      await findRedSet({
        count: 5,
        probes: 2,
        check: async () => (runs++ === 0 ? undefined : 'red'),
      }),
    ).toBeUndefined()
  })

  it('says nothing, and checks nothing, of an empty row and of one that is too long to be searched', async () => {
    for (const count of [0, 151]) {
      const { find, runs } = row(count, [[0]], 2)
      expect([await find(), runs()]).toEqual(['unexplained', 0])
    }
  })

  it('finds one of two that are red each by itself, mostly', async () => {
    let found = 0
    let all = 0
    for (let count = 3; count <= 10; count++) {
      for (const [first, second] of pairsOf(count)) {
        for (const probes of [1, 2, 3]) {
          all += 1
          if ((await row(count, [[first!], [second!]], probes).find()) !== 'unexplained') found += 1
        }
      }
    }
    expect(found / all).toBeGreaterThan(0.95)
  })

  it('takes for 20 with two at a time no more than four rounds', async () => {
    const most = { rounds: 0 }
    for (let a = 0; a < 19; a++) {
      for (let b = a + 1; b < 19; b++) {
        const { find, rounds } = row(19, [[a, b]], 2)
        expect(await find()).toEqual([a, b])
        most.rounds = Math.max(most.rounds, rounds())
      }
    }
    expect(most.rounds).toBeLessThanOrEqual(4)
  })
})
