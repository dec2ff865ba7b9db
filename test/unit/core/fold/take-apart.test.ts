import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { MergeResults } from '../../../../src/adapters/forge/merge-results.ts'
import type { Landing } from '../../../../src/core/fold/landing.ts'
import { createTakeApart } from '../../../../src/core/fold/take-apart.ts'
import type { Sha } from '../../../../src/domain/ids.ts'

/**
 * Commits are the numbers of what is in them: `0.3.5`. A check is red where all of one of the
 * reasons are in.
 */
const numbersIn = (commit: string): number[] => commit.split('.').map(Number)
const isRed = (numbers: readonly number[], reasons: readonly (readonly number[])[]): boolean =>
  reasons.some((reason) => reason.every((number) => numbers.includes(number)))

const landingOf = (number: number) =>
  ({ number, head: `h${number}` as Sha, intent: { strategy: 'merge' } }) as unknown as Landing

/**
 * Rounds until nothing waits, each with all that waits on what has landed: numbers that landed, and
 * those that were rejected with what.
 */
async function rounds(count: number, reasons: readonly (readonly number[])[], parallel: number) {
  let base = '0'
  const build: MergeResults['build'] = async (onto, merges) => {
    let tip: string = onto
    const links = merges.map(({ number, head }) => {
      tip = `${tip}.${number}`
      return { number, head, sha: tip as Sha, tree: tip as Sha }
    })
    return { onto, links, conflicts: [] }
  }
  const results = {
    build,
    treeOf: async (commit: Sha) => commit,
    parallel: async () => parallel,
  } as unknown as MergeResults
  const takeApart = createTakeApart({
    results,
    culprit: { check: async ({ tree }) => (isRed(numbersIn(tree), reasons) ? 'red' : 'green') },
    landAll: async (_landings, chain) => {
      base = chain.links.at(-1)?.sha ?? base
      return true
    },
  })
  const rejected: {
    number: number
    with: readonly number[]
    /** What had landed before the round, and after it. */
    onto: readonly number[]
    landed: readonly number[]
  }[] = []
  let waiting = Array.from({ length: count }, (_, index) => landingOf(index + 1))
  for (let turn = 0; waiting.length > 0; turn += 1) {
    expect(turn).toBeLessThanOrEqual(2 * count)
    const chain = await build(
      base as Sha,
      waiting.map(({ number, head }) => ({ number, head, strategy: 'merge' })),
    )
    if (!isRed(numbersIn(chain.links.at(-1)!.sha), reasons)) {
      base = chain.links.at(-1)!.sha
      break
    }
    const onto = numbersIn(base)
    const { wait, guilty } = await takeApart(waiting, chain)
    const landed = numbersIn(base)
    const numbers = [
      ...wait.map(({ number }) => number),
      ...guilty.map(({ landing }) => landing.number),
    ]
    expect(
      [
        ...numbers,
        ...waiting.map(({ number }) => number).filter((number) => landed.includes(number)),
      ].toSorted(),
    ).toEqual(waiting.map(({ number }) => number).toSorted())
    for (const { landing, partners } of guilty)
      rejected.push({
        number: landing.number,
        with: partners.map(({ number }) => number),
        onto,
        landed,
      })
    waiting = [...wait]
  }
  return { landed: numbersIn(base), rejected }
}

it('whatever two or three are red together: what lands is green, all that could land does, and who is rejected is red with what landed', async () => {
  const reason = (count: number) =>
    fc.uniqueArray(fc.integer({ min: 1, max: count }), { minLength: 2, maxLength: 3 })
  const cases = fc.integer({ min: 2, max: 8 }).chain((count) =>
    fc.record({
      count: fc.constant(count),
      reasons: fc.array(reason(count), { maxLength: 5 }),
      parallel: fc.integer({ min: 1, max: 3 }),
    }),
  )
  await fc.assert(
    fc.asyncProperty(cases, async ({ count, reasons, parallel }) => {
      const { landed, rejected } = await rounds(count, reasons, parallel)
      expect(isRed(landed, reasons)).toBe(false)
      expect(landed.length - 1 + rejected.length).toBe(count)
      for (const one of rejected) {
        expect([one, isRed([...one.landed, one.number], reasons)]).toEqual([one, true])
        expect(one.landed).toEqual(expect.arrayContaining([...one.with]))
        // Whoever is named is a reason with what had landed before, and nothing beside it.
        const named = [...one.with, one.number]
        if (one.with.length > 0)
          expect([
            one,
            reasons.some(
              (reason) =>
                named.every((number) => reason.includes(number)) &&
                reason.every((number) => named.includes(number) || one.onto.includes(number)),
            ),
          ]).toEqual([one, true])
      }
    }),
    { numRuns: 300 },
  )
})
