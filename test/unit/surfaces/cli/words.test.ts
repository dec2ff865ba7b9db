import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseDuration, shortDuration } from '../../../../src/surfaces/text/duration.ts'
import { parseSince } from '../../../../src/surfaces/cli/daemon/events.ts'
import { parseLineComment } from '../../../../src/surfaces/cli/pulls/line-comment.ts'
import { newLines } from '../../../../src/surfaces/cli/agents/follow-screen.ts'
import { printable, printableLine } from '../../../../src/surfaces/text/printable.ts'
import { shortCount, shortMoney } from '../../../../src/surfaces/text/quantity.ts'
import { relativeTime } from '../../../../src/surfaces/text/relative-time.ts'
import { quoteForShell } from '../../../../src/surfaces/text/shell-quote.ts'
import { pathFrom, shortPath } from '../../../../src/surfaces/text/short-path.ts'

describe('short words for quantities', () => {
  it.each([
    [0, '0s'],
    [59.9, '59s'],
    [60, '1m'],
    [3599, '59m'],
    [7200, '2h'],
    [86_400 * 5, '5d'],
    [-3, '0s'],
  ])('%d seconds are %s', (seconds, words) => {
    expect(shortDuration(seconds)).toBe(words)
  })

  it.each([
    [812, '812'],
    [1000, '1k'],
    [3449, '3.4k'],
    [12_345, '12k'],
    [999_499, '999k'],
    [999_500, '1M'],
    [3_400_000, '3.4M'],
  ])('%d is %s', (count, words) => {
    expect(shortCount(count)).toBe(words)
  })

  it.each([
    [0, '$0.00'],
    [0.424, '$0.42'],
    [9.99, '$9.99'],
    [9.996, '$10'],
    [412.7, '$413'],
    [12_345, '$12k'],
  ])('%d USD are %s', (usd, words) => {
    expect(shortMoney(usd)).toBe(words)
  })

  it('reads durations back', () => {
    expect(['90', '90s', '5m', '2h', '1d', '1.5h'].map(parseDuration)).toEqual([
      90, 90, 300, 7200, 86_400, 5400,
    ])
    expect(['', 'm', '5 minutes', '-3s'].map(parseDuration)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ])
  })

  it('says how long ago', () => {
    expect(relativeTime(1000, 1500)).toBe('just now')
    expect(relativeTime(0, 180_000)).toBe('3m ago')
  })

  it('reads --since as a duration or a time, and refuses the rest', () => {
    expect(parseSince('15m', 1_000_000_000)).toBe(1_000_000_000 - 900_000)
    expect(parseSince('2026-01-31T12:00:00Z', 0)).toBe(Date.UTC(2026, 0, 31, 12))
    expect(() => parseSince('yesterday', 0)).toThrow(/--since yesterday/)
  })
})

describe('text of others', () => {
  it('loses what could drive a terminal, and nothing else', () => {
    expect(
      printable('a\u001b[31mb\u001b[0m\tc\r\nd\u0007\u009b2Je\u001b]8;;http://x\u001b\\f\u202eg'),
    ).toBe('ab\tc\ndefg')
    expect(printableLine(' a\n b\t c ')).toBe('a b c')
  })

  it('never leaves a control character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        // oxlint-disable-next-line no-control-regex -- these must not be there
        expect(printable(text)).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/)
      }),
    )
  })

  it('keeps ordinary words as they are', () => {
    for (const word of ['naïve café', '日本語', 'x ≤ y – z', '👩‍💻'])
      expect(printable(word)).toBe(word)
  })
})

describe('line comments', () => {
  it('reads file, line and text', () => {
    expect(parseLineComment('src/a.ts:12 can be null')).toEqual({
      path: 'src/a.ts',
      line: 12,
      body: 'can be null',
    })
    expect(parseLineComment('src/a.ts:12: can: be null')).toEqual({
      path: 'src/a.ts',
      line: 12,
      body: 'can: be null',
    })
    expect(parseLineComment('src/a.ts:3-7 one loop')).toEqual({
      path: 'src/a.ts',
      start_line: 3,
      line: 7,
      body: 'one loop',
    })
    expect(parseLineComment('src/a-1-2.ts:3-3: x')).toEqual({
      path: 'src/a-1-2.ts',
      line: 3,
      body: 'x',
    })
    expect(parseLineComment('src/a.ts:-3-7 was needed')).toEqual({
      path: 'src/a.ts',
      start_line: 3,
      line: 7,
      side: 'left',
      body: 'was needed',
    })
    expect(parseLineComment('README.md: says nothing')).toEqual({
      path: 'README.md',
      body: 'says nothing',
    })
  })
  it.each(['nothing', 'a.ts:12', 'a.ts:0 zero', 'a.ts:0-3 x', 'a.ts:3- x', ''])(
    'refuses %j with an example',
    (text) => {
      expect(() => parseLineComment(text)).toThrow(/expected "path:line text"/)
    },
  )
  it('turns no range around, but says how it is written', () => {
    expect(() => parseLineComment('a.ts:7-3 x')).toThrow(/write "a\.ts:3-7"/)
  })
})

describe('following a screen', () => {
  it('prints what is new, whether the text grew, scrolled or was replaced', () => {
    expect(newLines([], ['a', 'b'])).toEqual(['a', 'b'])
    expect(newLines(['a', 'b'], ['a', 'b', 'c'])).toEqual(['c'])
    expect(newLines(['a', 'b', 'c'], ['b', 'c', 'd'])).toEqual(['d'])
    expect(newLines(['a', 'b'], ['x'])).toEqual(['x'])
    expect(newLines(['a', 'b'], ['a', 'b'])).toEqual([])
  })
})

describe('paths and shell words', () => {
  it('shortens the home folder only', () => {
    expect([
      shortPath('/home/ada/shop', '/home/ada'),
      shortPath('/home/adam', '/home/ada'),
      shortPath('/home/ada', '/home/ada'),
    ]).toEqual(['~/shop', '/home/adam', '~'])
    expect([pathFrom('/a/b', '/a/b/c'), pathFrom('/a/b', '/a/x'), pathFrom('/a', '/a')]).toEqual([
      'c',
      '/a/x',
      '.',
    ])
  })
  it('quotes for a shell', () => {
    expect(quoteForShell(['tmux', '-L', 'x y', "it's", '%3'])).toBe(`tmux -L 'x y' 'it'\\''s' %3`)
  })
})
