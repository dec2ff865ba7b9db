import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cut, displayWidth, pad } from '../../../../../packages/subagents/src/terminal/width.ts'

const text = fc.string({
  unit: fc.oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
    fc.constantFrom('日', '👩‍💻', 'é', 'e\u0301', '–', '🇩🇪', 'ｗ'),
  ),
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

  it('measures what needs no segmenter as the segmenter would', () => {
    const block = fc.constantFrom(
      0x20,
      0xa0,
      0x370,
      0x400,
      0x1e00,
      0x2010,
      0x2100,
      0x2300,
      0x2500,
      0x2700,
      0x3000,
      0x3041,
      0x4e00,
      0xac00,
      0xff01,
    )
    const character = fc
      .tuple(block, fc.nat(0x7f))
      .map(([first, offset]) => String.fromCodePoint(first + offset))
    fc.assert(
      fc.property(fc.string({ unit: character }), (sample) => {
        // One emoji sends the whole to the segmenter.
        expect(displayWidth(`${sample} 😀`)).toBe(displayWidth(sample) + 3)
      }),
      { numRuns: 500 },
    )
  })

  it('cuts between words and at the joints of names, and within a word that has no room at all', () => {
    expect(cut('a question for lead', 12)).toBe('a question…')
    expect(cut('main.auth.login', 12)).toBe('main.auth.…')
    expect(cut('a extraordinarily', 8)).toBe('a extra…')
    expect(cut('extraordinarily', 8)).toBe('extraor…')
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
