import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cut, displayWidth, pad } from '../../../src/surfaces/cli/width.ts'

const text = fc.string({
  unit: fc.oneof(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }), fc.constantFrom('日', '👩‍💻', 'é', 'e\u0301', '–', '🇩🇪', 'ｗ')),
})

describe('width of text', () => {
  it.each([
    ['plain', 5],
    ['日本', 4],
    ['e\u0301', 1],
    ['👩‍💻', 2],
    ['🇩🇪', 2],
    ['◐ ✓ ├─', 6],
    ['\u001b[31mred\u001b[39m', 3],
    ['', 0],
  ])('%j takes %i columns', (sample, width) => {
    expect(displayWidth(sample)).toBe(width)
  })

  it('cuts to at most the width, keeps what fits whole, and begins as the text does', () => {
    fc.assert(
      fc.property(text, fc.nat(40), (sample, width) => {
        const short = cut(sample, width)
        expect(displayWidth(short)).toBeLessThanOrEqual(width)
        if (displayWidth(sample) <= width) expect(short).toBe(width === 0 ? '' : sample)
        else if (width > 0) {
          expect(short.endsWith('…')).toBe(true)
          expect(sample.startsWith(short.slice(0, -1))).toBe(true)
        }
      }),
    )
  })

  it('pads to exactly the width on the side asked for', () => {
    fc.assert(
      fc.property(text, fc.nat(60), (sample, width) => {
        expect(displayWidth(pad(sample, width))).toBe(Math.max(width, displayWidth(sample)))
        expect(pad(sample, width, 'start').endsWith(sample)).toBe(true)
      }),
    )
  })
})
