import { expect, it } from 'vitest'
import { isOut } from '../../../../src/core/fold/ahead/candidates.ts'
import { foldedIn, isIncomplete } from '../../../../src/core/fold/folded.ts'
import type { FoldRecord } from '../../../../src/core/fold/ahead/fold-record.ts'
import type { Landing } from '../../../../src/core/fold/landing.ts'
import type { Sha } from '../../../../src/domain/ids.ts'

const landing = (number: number) => ({ number }) as Landing
const record = (pairs: Readonly<Record<number, number>>, state: FoldRecord['state'] = 'green') =>
  foldedIn({
    state,
    links: [1, 2].map((number) => ({ number, sha: `c${number}` })) as never,
    ejected: Object.entries(pairs).map(([number, partner]) => ({
      number: Number(number),
      partner: { number: partner },
    })) as never,
  })

it('one that was found red with another one that waits lands after that', () => {
  const [one, two, three] = [landing(1), landing(2), landing(3)]
  expect(record({ 3: 1 }).split([one, two, three])).toEqual({ now: [one, two], later: [three] })
  expect(record({ 3: 1 }).split([two, three])).toEqual({ now: [two, three], later: [] })
  expect(record({ 3: 1 }).partnerOf(three)).toBe(1)
})

it('one that was found red with another one that has landed has its turn by itself, after those before it', () => {
  const [two, three, four] = [landing(2), landing(3), landing(4)]
  const folded = record({ 3: 1, 4: 2 })
  expect(folded.partnersBeside([two, three, four])).toEqual([1])
  expect(folded.split([two, three], new Set([1]))).toEqual({ now: [two], later: [three] })
  // None that come later keep it waiting.
  expect(folded.split([three, two, four], new Set([1]))).toEqual({
    now: [three],
    later: [two, four],
  })
  expect(folded.split([three], new Set([1]))).toEqual({ now: [three], later: [] })
})

it('one that was found red with two others waits for both, and is back when one has new commits', () => {
  const [one, two, three] = [landing(1), landing(2), landing(3)]
  const out = {
    ...{ number: 3, title: '', head: 'c' as Sha, tree: 't' as Sha, at: 0 },
    partner: { number: 1, title: '', head: 'a' as Sha },
    others: [{ number: 2, title: '', head: 'b' as Sha }],
  }
  const { split, partnerOf } = foldedIn({ state: 'green', links: [], ejected: [out] })
  expect(split([one, two, three])).toEqual({ now: [one, two], later: [three] })
  expect(split([two, three])).toEqual({ now: [two, three], later: [] })
  // No one of them is to blame alone.
  expect(partnerOf(three)).toBeUndefined()
  const isOutWith = (first: string, second: string) =>
    isOut(
      [out],
      { number: 3, head: 'c' as Sha, pull: null },
      new Map([
        [1, first as Sha],
        [2, second as Sha],
      ]),
    )
  expect([isOutWith('a', 'b'), isOutWith('x', 'b'), isOutWith('a', 'x')]).toEqual([
    true,
    false,
    false,
  ])
})

it('of those that are red with each other none waits for the other', () => {
  const [one, two] = [landing(1), landing(2)]
  expect(record({ 1: 2, 2: 1 }).split([one, two])).toEqual({ now: [one, two], later: [] })
})

it('is green with all links that could be merged, where the whole is', () => {
  expect(record({}).green).toEqual(new Set([1, 2]))
  expect(record({}, 'testing').green).toEqual(new Set())
})

it('is incomplete while some of what was found green were asked for, and not all', () => {
  const green = new Set([1, 2])
  expect(isIncomplete(green, [landing(1)])).toBe(true)
  expect(isIncomplete(green, [landing(1), landing(2), landing(3)])).toBe(false)
  expect(isIncomplete(green, [landing(3)])).toBe(false)
  expect(isIncomplete(new Set(), [landing(1)])).toBe(false)
})
