import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ScrollbackLine } from '../../../../../../src/core/spawn/agent-forks.ts'
import {
  createScrollback,
  lineCount,
  scrolled,
  window,
  type Notice,
  type Scrollback,
} from '../../../../../../src/surfaces/cli/console/rows/compose-scrollback.ts'
import { createTextRows } from '../../../../../../src/surfaces/cli/console/rows/text-rows.ts'
import { wrapLine } from '../../../../../../src/surfaces/cli/console/rows/wrap.ts'
import { createPalette } from '../../../../../../src/surfaces/text/palette.ts'
import { printable } from '../../../../../../src/surfaces/text/printable.ts'
import { displayWidth } from '../../../../../../src/surfaces/text/width.ts'

const plain = createPalette(false)
const coloured = createPalette(true)
const noon = new Date(2026, 0, 5, 12, 3).getTime()
const entry = (kind: string, text: string, line: number, at = noon): ScrollbackLine => ({
  seq: at,
  kind,
  text,
  at,
  line,
})
const compose = (facts: Partial<Scrollback>): string[] =>
  createScrollback()({
    text: '',
    entries: [],
    notices: [],
    dead: null,
    width: 40,
    palette: plain,
    ...facts,
  })

const hostile = fc.constantFrom(
  'a', 'plain words ', '日本', '👩‍💻', '🇩🇪', 'e\u0301', '\u0301', '한', '\t', '\r', '\r\n', '\n', '─', '…', '\u200b',
  '\u001b[31m', '\u001b[2J', '\u001b]0;title\u0007', '\u001b]52;c;AAAA', '\u001b', '\u009b31m', '\u0007', '\b\b', '\u0000', '\u202e', '\u001bPq#\u001b\\',
) // prettier-ignore
const text = fc.array(hostile, { maxLength: 60 }).map((pieces) => pieces.join(''))
const kinds = fc.constantFrom(
  'capture-begin',
  'capture',
  'capture-cancel',
  'capture-fork',
  'wait',
  'other',
)
const colour = fc.constantFrom('dim' as const, 'bad' as const, 'good' as const)
const width = fc.integer({ min: 4, max: 60 })

// Of what is printed only the palette’s own codes may be more than text.
const CODES = /\u001b\[(?:1|2|22|3[1-6]|39)m/g
// oxlint-disable-next-line no-control-regex -- what must not be there
const DRIVES = /[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/

describe('a scrollback', () => {
  it('has no row that is wider than the terminal, and none that drives it', () => {
    fc.assert(
      fc.property(
        text,
        fc.array(fc.tuple(kinds, text, fc.nat(20)), { maxLength: 6 }),
        fc.array(fc.tuple(colour, text, fc.nat(20)), { maxLength: 3 }),
        width,
        (screen, entries, notices, columns) => {
          const rows = compose({
            text: screen,
            entries: entries.map(([kind, words, line], index) => entry(kind, words, line, index)),
            notices: notices.map(([tone, words, line], index): Notice => ({
              colour: tone,
              text: words,
              line,
              at: index,
            })),
            width: columns,
            palette: coloured,
          })
          for (const row of rows) {
            expect(displayWidth(row)).toBeLessThanOrEqual(columns)
            expect(row.replace(CODES, '')).not.toMatch(DRIVES)
          }
        },
      ),
      { numRuns: 400 },
    )
  })

  it('loses no text when it wraps', () => {
    const blankless = (words: string): string => words.replace(/\s/g, '')
    fc.assert(
      fc.property(text, width, (screen, columns) => {
        const safe = screen.split('\n').map(printable).join('')
        expect(blankless(compose({ text: screen, width: columns }).join(''))).toBe(blankless(safe))
      }),
      { numRuns: 400 },
    )
  })

  it.each([
    ['a wide character that has no room', 'abc日本', 4, ['abc', '日本']],
    ['letters with their marks', 'e\u0301'.repeat(5), 4, ['e\u0301'.repeat(4), 'e\u0301']],
    ['an emoji of several', '👩‍💻👩‍💻👩‍💻', 4, ['👩‍💻👩‍💻', '👩‍💻']],
    ['tabs', 'a\tb\tc', 12, ['a       b', 'c']],
    ['line feeds of DOS', 'one\r\ntwo\r\n', 8, ['one', 'two']],
    ['a bar that was drawn over itself', '10%\r100%', 8, ['10%', '100%']],
    ['blank lines between', 'a\n\nb\n\n\n', 8, ['a', '', 'b']],
    ['nothing', ' \n\n', 8, []],
  ])('breaks %s as a terminal would', (_, screen, columns, rows) => {
    expect(compose({ text: screen, width: columns })).toEqual(rows)
  })

  it('shows what was written beside the terminal where it was written', () => {
    const rows = compose({
      text: 'one\ntwo\nthree\n',
      entries: [
        entry('capture-begin', '', 1),
        entry('capture', 'count the words of all files that end with .md', 1),
        entry('capture-fork', 'counter 0192aaaa-0000-7000-8000-000000000001', 1),
        entry('capture-begin', '', 2, noon + 60_000),
        entry('capture-cancel', '', 2, noon + 61_000),
        entry('capture-begin', '', 9, noon + 120_000),
      ],
      notices: [{ text: '› hello', at: noon + 30_000, line: 2, colour: 'dim' }],
    })
    expect(rows).toEqual([
      'one',
      '┊ capture, not sent · 12:03',
      '┊ count the words of all files that end',
      '┊ with .md',
      '┊ → became counter · 12:03',
      'two',
      '┊ › hello',
      '┊ capture, not sent · 12:04',
      '┊ capture ended without a child',
      'three',
      '┊ capture, not sent · 12:05',
    ])
  })

  it('shows what a wait brought as a block', () => {
    const words =
      'reader: received: found\n  3 files, one\n  scratch: dead\ntester: running\nbuilder: idle\nscratch: dead'
    expect(compose({ entries: [entry('wait', words, 0)], width: 30 })).toEqual([
      '┊ wait · 12:03',
      '┊ ✓ received  reader',
      '┊   found',
      '┊   3 files, one',
      '┊   scratch: dead',
      '┊ ◐ running   tester',
      '┊ ○ idle      builder',
      '┊ ✗ dead      scratch',
    ])
    expect(
      compose({ entries: [entry('wait', 'reader: hello, this is more than a row', 0)], width: 30 }),
    ).toEqual(['┊ wait · 12:03', '┊ reader: hello, this is more', '┊ than a row'])
  })

  it('ends with how the agent ended', () => {
    expect(
      compose({
        text: 'one\n',
        entries: [entry('capture', 'x', 5)],
        dead: '✗ killed by the human · 12:03',
      }),
    ).toEqual(['one', '┊ x', '✗ killed by the human · 12:03'])
  })

  it('counts lines without the blank ones at the end', () => {
    expect(['', '\n \n', 'a', 'a\n', 'a\n\nb\n\n'].map(lineCount)).toEqual([0, 0, 1, 1, 3])
  })
})

describe('a terminal’s text that goes on', () => {
  it('is wrapped as if it were new, whatever was there before', () => {
    const line = fc.constantFrom('', 'a', 'b', '日本語 words that are long', 'x'.repeat(30), '\t1')
    const step = fc.record({
      drop: fc.nat(30),
      cut: fc.nat(4),
      add: fc.array(line, { maxLength: 30 }),
      width: fc.constantFrom(10, 10, 10, 20),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
        const textRows = createTextRows()
        let lines: string[] = []
        for (const { drop, cut, add, width: columns } of steps) {
          lines = [...lines.slice(drop, Math.max(drop, lines.length - cut)), ...add]
          const { rows, starts, lines: taken } = textRows(lines.join('\n'), columns)
          expect(rows).toEqual(taken.flatMap((one) => wrapLine(one, columns)))
          expect(starts).toEqual(
            [...taken.keys(), taken.length].map(
              (count) => taken.slice(0, count).flatMap((one) => wrapLine(one, columns)).length,
            ),
          )
        }
      }),
    )
  })

  it('is not wrapped again for one line more, nor where its oldest lines went for it', () => {
    let wrapped = 0
    const textRows = createTextRows((one, columns) => {
      wrapped++
      return wrapLine(one, columns)
    })
    const make = (from: number, to: number): string =>
      Array.from({ length: to - from }, (_, index) => `日本 ${from + index}`).join('\n')
    textRows(make(0, 20_000), 80)
    expect(wrapped).toBe(20_000)
    textRows(make(0, 20_003), 80)
    expect(wrapped).toBe(20_003)
    expect(textRows(make(5, 20_005), 80).rows).toHaveLength(20_000)
    expect(wrapped).toBe(20_005)
  })
})

describe('the part of a scrollback that is seen', () => {
  const rows = (count: number): string[] =>
    Array.from({ length: count }, (_, index) => `row ${index}`)

  it('is the end until one scrolls, and has blank rows where there are fewer', () => {
    expect(window(rows(30), 3, null)).toEqual({
      rows: ['row 27', 'row 28', 'row 29'],
      scroll: null,
      below: 0,
    })
    expect(window(rows(1), 3, null)).toEqual({ rows: ['row 0', '', ''], scroll: null, below: 0 })
    expect(window([], 2, 7)).toEqual({ rows: ['', ''], scroll: null, below: 0 })
  })

  it('stays where it is while rows are added, until the end is reached again', () => {
    const scroll = scrolled(null, -10, 30, 5)
    const before = window(rows(30), 5, scroll)
    expect(before).toEqual({
      rows: ['row 15', 'row 16', 'row 17', 'row 18', 'row 19'],
      scroll: 15,
      below: 10,
    })
    expect(window(rows(500), 5, scroll).rows).toEqual(before.rows)
    expect(scrolled(scroll, 10, 30, 5)).toBe(null)
    expect(scrolled(scroll, -99, 30, 5)).toBe(0)
  })

  it('has as many rows as asked for, wherever one scrolls', () => {
    fc.assert(
      fc.property(
        fc.nat(60),
        fc.nat(20),
        fc.option(fc.integer({ min: -5, max: 80 })),
        (total, height, scroll) => {
          const seen = window(rows(total), height, scroll)
          expect(seen.rows).toHaveLength(height)
          expect(window(rows(total), height, seen.scroll)).toEqual(seen)
        },
      ),
    )
  })
})
