import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  edit,
  EMPTY,
  visible,
  type Edit,
  type Line,
} from '../../../../../../src/surfaces/cli/console/input/line-editor.ts'
import { displayWidth } from '../../../../../../src/surfaces/text/width.ts'

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
const split = (text: string): string[] => [...segmenter.segment(text)].map(({ segment }) => segment)

/** The simplest line there is: its graphemes, and how many of them are before the cursor. */
interface Model {
  readonly graphemes: readonly string[]
  readonly at: number
}

/**
 * Joined anew: neighbours may become one grapheme. The cursor stands behind all that touches
 * `before`.
 */
function joined(before: string, behind: string): Model {
  const graphemes = split(before + behind)
  let at = 0
  for (let length = 0; length < before.length; at++) length += graphemes[at]?.length ?? 0
  return { graphemes, at }
}

const isWord = (grapheme: string | undefined): boolean => /[\p{L}\p{N}_]/u.test(grapheme ?? '')
const isBlank = (grapheme: string | undefined): boolean => !/\S/u.test(grapheme ?? '')

function leftOver(
  { graphemes, at }: Model,
  isPart: (grapheme: string | undefined) => boolean,
): number {
  let to = at
  while (to > 0 && !isPart(graphemes[to - 1])) to--
  while (to > 0 && isPart(graphemes[to - 1])) to--
  return to
}

function apply(model: Model, action: Edit): Model {
  const { graphemes, at } = model
  const text = (from: number, to?: number): string => graphemes.slice(from, to).join('')
  switch (action.kind) {
    case 'insert':
      return joined(text(0, at) + action.text, text(at))
    case 'backspace':
      return joined(text(0, Math.max(0, at - 1)), text(at))
    case 'delete':
      return joined(text(0, at), text(at + 1))
    case 'left':
      return { graphemes, at: Math.max(0, at - 1) }
    case 'right':
      return { graphemes, at: Math.min(graphemes.length, at + 1) }
    case 'word-left':
      return { graphemes, at: leftOver(model, isWord) }
    case 'word-right': {
      let to = at
      while (to < graphemes.length && !isWord(graphemes[to])) to++
      while (to < graphemes.length && isWord(graphemes[to])) to++
      return { graphemes, at: to }
    }
    case 'home':
      return { graphemes, at: 0 }
    case 'end':
      return { graphemes, at: graphemes.length }
    case 'kill-to-end':
      return joined(text(0, at), '')
    case 'kill-to-start':
      return joined('', text(at))
    case 'kill-word':
      return joined(
        text(
          0,
          leftOver(model, (grapheme) => !isBlank(grapheme)),
        ),
        text(at),
      )
  }
}

const piece = fc.constantFrom(
  'a',
  'B7',
  ' ',
  '  ',
  'two words',
  '日本',
  'e',
  '\u0301',
  '👩',
  '\u200d',
  '💻',
  '👩‍💻',
  '🇩',
  '🇪',
  '한',
  'ᄒ',
  'ᅡ',
  '\n',
  '\t',
  'ｗ',
  '-',
  '/wait 30',
)
const action = fc.oneof(
  { weight: 3, arbitrary: piece.map((text): Edit => ({ kind: 'insert', text })) },
  fc
    .constantFrom(
      'backspace',
      'delete',
      'left',
      'right',
      'word-left',
      'word-right',
      'home',
      'end',
      'kill-to-end',
      'kill-to-start',
      'kill-word',
    )
    .map((kind): Edit => ({ kind })),
)
const typed = (...actions: readonly (Edit | string)[]): Line =>
  actions.reduce(
    (line: Line, one) => edit(line, typeof one === 'string' ? { kind: 'insert', text: one } : one),
    EMPTY,
  )
const shown = ({ text, cursor }: Line): string => `${text.slice(0, cursor)}|${text.slice(cursor)}`

describe('the input line', () => {
  it('is edited as an array of graphemes would be', () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 40 }), (actions) => {
        let line = EMPTY
        let model: Model = { graphemes: [], at: 0 }
        for (const one of actions) {
          line = edit(line, one)
          model = apply(model, one)
          expect(line.text).toBe(model.graphemes.join(''))
          expect(line.cursor).toBe(model.graphemes.slice(0, model.at).join('').length)
        }
      }),
      { numRuns: 500 },
    )
  })

  it.each([
    ['an emoji of several code points at once', typed('x👩‍💻', { kind: 'backspace' }), 'x|'],
    ['a letter with its accent', typed('e\u0301', { kind: 'backspace' }), '|'],
    ['a word and the blanks behind it', typed('send auth  ', { kind: 'kill-word' }), 'send |'],
    [
      'what is on the left',
      typed('one two', { kind: 'word-left' }, { kind: 'kill-to-start' }),
      '|two',
    ],
    [
      'what is on the right',
      typed('one two', { kind: 'word-left' }, { kind: 'kill-to-end' }),
      'one |',
    ],
    ['escape sequences of a paste', typed('a\u001b[31mb\u0007\u202ec\r\nd'), 'abc\nd|'],
  ])('takes away %s', (_, line, expected) => {
    expect(shown(line)).toBe(expected)
  })

  it('shows the part around the cursor in the width, with the cursor in it', () => {
    fc.assert(
      fc.property(
        fc.array(action, { maxLength: 40 }),
        fc.integer({ min: 4, max: 60 }),
        (actions, width) => {
          const line = typed(...actions)
          const { text, cursor } = visible(line, width)
          expect(displayWidth(text)).toBeLessThanOrEqual(width)
          expect(cursor).toBeGreaterThanOrEqual(0)
          expect(cursor).toBeLessThan(width)
          // What stands before the cursor’s column is what stands before the cursor, from its end.
          const signs = (part: string): string => part.replaceAll('\n', '↵').replaceAll('\t', '⇥')
          // Several where a mark without a letter stands in no column of its own.
          const points = Array.from(text)
          const befores = [
            '',
            ...points.map((_, index) => points.slice(0, index + 1).join('')),
          ].filter((part) => displayWidth(part) === cursor)
          const whole = signs(line.text.slice(0, line.cursor))
          if (displayWidth(signs(line.text)) < width) expect(text).toBe(signs(line.text))
          else expect(befores.some((before) => whole.endsWith(before.replace(/^…/, '')))).toBe(true)
        },
      ),
      { numRuns: 500 },
    )
  })

  it('shows something on both sides of the cursor where the line is longer', () => {
    const text = 'abcdefghijklmnopqrstuvwxyz'
    expect(visible({ text, cursor: 0 }, 12)).toEqual({ text: 'abcdefghij…', cursor: 0 })
    const { text: middle, cursor } = visible({ text, cursor: 13 }, 12)
    expect(middle.startsWith('…')).toBe(true)
    expect(middle.endsWith('…')).toBe(true)
    expect(middle[cursor]).toBe('n')
    expect(visible({ text, cursor: 26 }, 12).text.endsWith('z')).toBe(true)
  })
})
