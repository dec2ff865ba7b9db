import { describe, expect, it } from 'vitest'
import { placed } from '../../../../src/core/pulls/new-line-comment.ts'

const comment = { path: 'a.ts', body: 'Why?' }

describe('a comment of a review', () => {
  it.each([
    [{}, { line: null, startLine: null }],
    [{ line: 7 }, { line: 7, startLine: null }],
    [
      { line: 7, start_line: 3 },
      { line: 7, startLine: 3 },
    ],
    [
      { line: 7, start_line: 7 },
      { line: 7, startLine: null },
    ],
    [
      { line: 7, side: 'left' as const },
      { line: 7, startLine: null, side: 'left' },
    ],
    [
      { line: 7, side: 'right' as const },
      { line: 7, startLine: null },
    ],
    [{ side: 'left' as const }, { line: null, startLine: null }],
  ])('with %j stands at %j', (given, at) => {
    expect(placed({ ...comment, ...given }, 3)).toEqual({ ...comment, ...at })
  })

  it.each([
    [{ start_line: 3 }, /begins at line 3 and ends nowhere: give `line`/],
    [{ line: 3, start_line: 7 }, /begins at line 7, after its last line 3/],
  ])('with %j has no range', (given, why) => {
    expect(() => placed({ ...comment, ...given }, 3)).toThrow(
      expect.objectContaining({
        code: 'INVALID_ARG',
        message: expect.stringMatching(why),
        facts: { number: 3, path: 'a.ts' },
      }),
    )
  })
})
