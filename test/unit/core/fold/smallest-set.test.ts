import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { MergeChain, MergeResults } from '../../../../src/adapters/forge/merge-results.ts'
import type { Candidate } from '../../../../src/core/fold/ahead/candidates.ts'
import { explain } from '../../../../src/core/fold/ahead/explain.ts'
import type { Places } from '../../../../src/core/fold/red-set.ts'
import { smallestRedSet, smallestRedSets } from '../../../../src/core/fold/smallest-set.ts'
import type { Sha } from '../../../../src/domain/ids.ts'

const isRed = (places: Places, sets: readonly Places[]): boolean =>
  sets.some((set) => set.every((place) => places.includes(place)))

function row(count: number, sets: readonly Places[]) {
  let runs = 0
  const check = async (places: Places): Promise<'green' | 'red'> => {
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    runs += 1
    return isRed(places, sets) ? 'red' : 'green'
  }
  return { check, runs: () => runs, all: Array.from({ length: count }, (_, place) => place) }
}

/** Sets of up to so many places of a row, none of which has another one in it. */
const planted = (count: number, most: number, size: number) =>
  fc
    .array(
      fc.uniqueArray(fc.nat({ max: count - 1 }), {
        minLength: 1,
        maxLength: Math.min(size, count),
      }),
      { minLength: 1, maxLength: most },
    )
    .map((sets) =>
      sets
        .map((set): Places => set.toSorted((a, b) => a - b))
        .filter(
          (set, at, all) =>
            !all.some(
              (other, before) =>
                other !== set &&
                other.every((place) => set.includes(place)) &&
                (other.length < set.length || before < at),
            ),
        ),
    )

describe('a smallest set that makes a row red', () => {
  it('is one of those that do, whatever they share, in runs that grow with the logarithm', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc
          .integer({ min: 1, max: 30 })
          .chain((count) => fc.tuple(fc.constant(count), planted(count, 4, 4))),
        async ([count, sets]) => {
          const { check, runs, all } = row(count, sets)
          const found = await smallestRedSet({ row: all, probes: 1, check })
          expect(sets).toContainEqual(found)
          const steps = Math.ceil(Math.log2(count)) + 1
          expect(runs()).toBeLessThanOrEqual((found as Places).length * steps)
        },
      ),
      { numRuns: 300 },
    )
  })

  it('is none where it takes more than five, where runs do not agree, and where none can be had', async () => {
    const six = row(8, [[0, 1, 2, 3, 4, 5]])
    const find = (check: typeof six.check | (() => Promise<undefined>)) =>
      smallestRedSet({ row: six.all, probes: 2, check })
    expect(await find(six.check)).toBe('unexplained')
    // The red run of the whole was a flake.
    expect(await find(row(8, []).check)).toBe('unexplained')
    expect(await find(async () => undefined)).toBeUndefined()
    expect(await smallestRedSet({ row: [], probes: 1, check: six.check })).toBe('unexplained')
  })

  it('is followed by the next, until what is left is green, or no more may be looked for', async () => {
    const sets = [
      [0, 1],
      [1, 2],
      [2, 3, 4],
    ]
    const whole = row(6, sets)
    const found = await smallestRedSets({
      count: 6,
      probes: 1,
      check: whole.check,
      mayGoOn: () => true,
    })
    if (found === undefined || found === 'unexplained') throw new Error(String(found))
    expect(found.isGreen).toBe(true)
    for (const set of found.sets) expect(sets).toContainEqual(set)
    const out = found.sets.map((set) => set.at(-1))
    expect(
      isRed(
        whole.all.filter((place) => !out.includes(place)),
        sets,
      ),
    ).toBe(false)

    const { check } = row(6, sets)
    expect(
      await smallestRedSets({ count: 6, probes: 1, check, mayGoOn: () => false }),
    ).toMatchObject({ sets: [expect.anything()], isGreen: false })
  })
})

/** What the fold makes of a chain in which these are red together. */
async function explained(count: number, sets: readonly Places[], probes = 2) {
  const runs = new Map<string, boolean>()
  let again = 0
  const placesOf = (tree: string): number[] => tree.split('+').slice(1).map(Number)
  const build: MergeResults['build'] = async (onto, merges) => {
    let tip: string = onto
    const links = merges.map(({ number, head }) => {
      tip = `${tip}+${number}`
      return { number, head, sha: tip as Sha, tree: tip as Sha }
    })
    return { onto, links, conflicts: [] } satisfies MergeChain
  }
  const candidates = Array.from(
    { length: count },
    (_, number) => ({ number, head: `h${number}`, strategy: 'merge' }) as unknown as Candidate,
  )
  const chain = await build('base' as Sha, candidates)
  runs.set(chain.links.at(-1)!.tree, false)
  const found = await explain(
    {
      results: {
        build,
        known: async (tree) => {
          const green = runs.get(tree)
          const state = green === undefined ? 'unknown' : green ? 'passed' : 'failed'
          return { state, logTail: '', logUrl: null }
        },
        treeOf: async (commit) => commit,
      },
      probes,
      checkLink: async ({ tree }, _, options) => {
        if (options?.again === true) again += 1
        runs.set(tree, !isRed(placesOf(tree), sets))
        return runs.get(tree) === true ? 'green' : 'red'
      },
    },
    { onto: 'base' as Sha, chain, candidates },
  )
  return { found, runs: runs.size - 1 + again }
}

describe('what the fold says of', () => {
  it('sets that share some, and of three: all of them by name, with the rest green or in few rounds', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc
          .integer({ min: 2, max: 20 })
          .chain((count) => fc.tuple(fc.constant(count), planted(count, 3, 3))),
        fc.constantFrom(1, 2, 3),
        async ([count, sets], probes) => {
          const { found, runs } = await explained(count, sets, probes)
          if (found?.kind !== 'guilty') throw new Error(found?.kind)
          for (const set of found.sets) {
            const places = set.candidates.map(({ number }) => number)
            expect(sets).toContainEqual(places)
            expect(set.out.number).toBe(Math.max(...places))
          }
          if (found.rest !== null) {
            const rest = found.rest.candidates.map(({ number }) => number)
            expect(isRed(rest, sets)).toBe(false)
          }
          expect(runs).toBeLessThanOrEqual(70)
        },
      ),
      { numRuns: 150 },
    )
  })

  it('more than can be found at once: some of it, and the rest is the next round’s', async () => {
    const sets = Array.from({ length: 10 }, (_, at): Places => [2 * at, 2 * at + 1])
    const { found, runs } = await explained(20, sets)
    if (found?.kind !== 'guilty') throw new Error(found?.kind)
    expect(found.rest).toBeNull()
    expect(found.sets.length).toBeGreaterThan(1)
    for (const set of found.sets)
      expect(sets).toContainEqual(set.candidates.map(({ number }) => number))
    expect(runs).toBeLessThanOrEqual(60)
  })

  it('two pairs that share one, and three of twenty: each is named, in a bounded number of runs', async () => {
    for (const sets of [
      [
        [3, 7],
        [7, 12],
      ],
      [[2, 9, 17]],
    ]) {
      const { found, runs } = await explained(20, sets)
      if (found?.kind !== 'guilty') throw new Error(found?.kind)
      for (const set of found.sets)
        expect(sets).toContainEqual(set.candidates.map(({ number }) => number))
      expect(found.rest).not.toBeNull()
      expect(runs).toBeLessThanOrEqual(45)
    }
  })
})
