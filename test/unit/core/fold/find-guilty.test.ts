import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findGuilty, type KnownPart } from '../../../../src/core/fold/ahead/find-guilty.ts'
import type { Places } from '../../../../src/core/fold/red-set.ts'

const isRed = (places: Places, sets: readonly Places[]): boolean =>
  sets.some((set) => set.every((place) => places.includes(place)))

async function search(
  count: number,
  sets: readonly Places[],
  { probes = 2, known = [] as readonly KnownPart[] } = {},
) {
  let runs = 0
  const found = await findGuilty({
    count,
    probes,
    known,
    check: async (places) => {
      runs += 1
      return isRed(places, sets) ? 'red' : 'green'
    },
  })
  return { found, runs }
}

/** One alone, a pair, or two alone, of so many. */
const planted = (count: number) =>
  fc
    .tuple(
      fc.constantFrom('one', 'pair', 'two'),
      fc.uniqueArray(fc.nat({ max: count - 1 }), { minLength: 2, maxLength: 2 }),
    )
    .map(([kind, places]): Places[] => {
      const [a = 0, b = 1] = places.toSorted((one, two) => one - two)
      return kind === 'one' ? [[a]] : kind === 'pair' ? [[a, b]] : [[a], [b]]
    })

describe('who makes a chain red', () => {
  it('is found among any number, whatever it is, in few runs', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc
          .integer({ min: 3, max: 24 })
          .chain((count) => fc.tuple(fc.constant(count), planted(count))),
        fc.constantFrom(1, 2, 4),
        async ([count, sets], probes) => {
          const { found, runs } = await search(count, sets, { probes })
          expect(found).toEqual(sets)
          expect(runs).toBeLessThanOrEqual(15)
        },
      ),
      { numRuns: 60 },
    )
  })

  it('takes at most twelve runs beside the first for a pair of twenty, two at a time', async () => {
    for (const pair of [
      [0, 1],
      [0, 19],
      [5, 15],
      [9, 10],
      [18, 19],
    ])
      expect((await search(20, [pair])).runs).toBeLessThanOrEqual(12)
  })

  it('is not looked for among those known to be green', async () => {
    const known = [0, 1, 2, 3].map((place) => ({ places: [place], isRed: false }))
    const { found, runs } = await search(4, [[1, 3]], { known })
    expect(found).toEqual([[1, 3]])
    expect(runs).toBeLessThanOrEqual(5)
    // Of two that are green apart nothing is left to be run.
    expect(await search(2, [[0, 1]], { known: known.slice(0, 2) })).toEqual({
      found: [[0, 1]],
      runs: 0,
    })
  })

  it('is not named for one red run that does not come again', async () => {
    expect((await search(6, [])).found).toBe('unexplained')
  })

  it('is not said to be red by itself where it is red with each of two others', async () => {
    for (const count of [3, 4, 8, 20])
      expect(
        (
          await search(count, [
            [0, 1],
            [0, 2],
          ])
        ).found,
      ).not.toContainEqual([0])
  })

  it('is not named where it takes three, or a run could not be had', async () => {
    for (const count of [3, 4, 6, 8, 20])
      expect((await search(count, [[0, 1, 2]])).found).toBe('unexplained')
    const check = async () => undefined
    expect(await findGuilty({ count: 5, probes: 2, known: [], check })).toBeUndefined()
  })
})
