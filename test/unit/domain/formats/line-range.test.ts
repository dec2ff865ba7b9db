import { describe, expect, it } from 'vitest'
import { linesWords, onLastLine, placeText } from '../../../../src/domain/formats/line-range.ts'

describe('where a comment stands', () => {
  it.each([
    [{ path: 'a.ts', line: null }, 'a.ts'],
    [{ path: 'a.ts', line: 7 }, 'a.ts:7'],
    [{ path: 'a.ts', line: 7, startLine: null }, 'a.ts:7'],
    [{ path: 'a.ts', line: 7, startLine: 3 }, 'a.ts:3-7'],
    [{ path: 'a.ts', line: 7, startLine: 3, side: 'left' as const }, 'a.ts:3-7 (old version)'],
  ])('of %j is %s', (place, text) => {
    expect(placeText(place)).toBe(text)
  })

  it('is said in words', () => {
    expect([
      linesWords(7, null),
      linesWords(7, 7),
      linesWords(7, 3),
      linesWords(7, 3, 'left'),
    ]).toEqual(['line 7', 'line 7', 'lines 3–7', 'old lines 3–7'])
  })

  it('is said in the comment where that stands on one line', () => {
    const comment = { path: 'a.ts', line: 7, body: 'Why?' }
    expect(onLastLine(comment)).toBe(comment)
    expect(onLastLine({ ...comment, startLine: 3 })).toEqual({
      ...comment,
      startLine: null,
      body: 'Lines 3–7: Why?',
    })
    const code = '```ts\nx()\n```'
    expect(onLastLine({ ...comment, startLine: 3, body: code }).body).toBe(`Lines 3–7:\n\n${code}`)
  })
})
