import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { editDistance, nearestKey } from '../../../src/config/nearest-key.ts'

const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '_'), maxLength: 8 })

describe('the nearest key', () => {
  it.each([
    ['limts', 'limits'],
    ['agnet', 'agent'],
    ['Max_Tree_Depth', 'max_tree_depth'],
    ['max_tree_dept', 'max_tree_depth'],
    ['xyzzy', undefined],
    ['q', undefined],
  ])('of %s is %s', (typed, nearest) => {
    expect(nearestKey(typed, ['limits', 'agent', 'max_tree_depth', 'acks'])).toBe(nearest)
  })

  it('is at distance nought from itself alone, the same both ways, and at most the longer word', () => {
    fc.assert(
      fc.property(word, word, (a, b) => {
        const distance = editDistance(a, b)
        expect(distance === 0).toBe(a === b)
        expect(distance).toBe(editDistance(b, a))
        expect(distance).toBeLessThanOrEqual(Math.max(a.length, b.length))
        expect(distance).toBeGreaterThanOrEqual(Math.abs(a.length - b.length))
      }),
    )
  })

  it('finds a word again after one slip of the fingers', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]{4,10}$/), fc.nat(), (original, at) => {
        const index = at % original.length
        expect(editDistance(original, original.slice(0, index) + original.slice(index + 1))).toBe(1)
        expect(editDistance(original, `${original.slice(0, index)}#${original.slice(index)}`)).toBe(
          1,
        )
      }),
    )
  })
})
