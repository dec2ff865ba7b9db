import { printable } from '../../../text/printable.ts'
import { displayWidth, graphemesOf, graphemeWidth } from '../../../text/width.ts'

/** What is being typed. */
export interface Line {
  readonly text: string
  /** UTF-16 offset in the text, at the boundary of a grapheme. */
  readonly cursor: number
}

export type Edit =
  | { readonly kind: 'insert'; readonly text: string }
  | {
      readonly kind:
        | 'backspace'
        | 'delete'
        | 'left'
        | 'right'
        | 'word-left'
        | 'word-right'
        | 'home'
        | 'end'
    }
  | { readonly kind: 'kill-to-end' | 'kill-to-start' | 'kill-word' }

export const EMPTY: Line = { text: '', cursor: 0 }

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** The line after a key. Inserted text loses its control characters; line feeds of a paste stay. */
export function edit(line: Line, action: Edit): Line {
  const { text, cursor } = line
  switch (action.kind) {
    case 'insert':
      return replaced(line, cursor, cursor, printable(action.text))
    case 'backspace':
      return replaced(line, before(line), cursor, '')
    case 'delete':
      return replaced(line, cursor, after(line), '')
    case 'left':
      return { text, cursor: before(line) }
    case 'right':
      return { text, cursor: after(line) }
    case 'word-left':
      return { text, cursor: wordStart(line, WORD) }
    case 'word-right':
      return { text, cursor: wordEnd(line) }
    case 'home':
      return { text, cursor: 0 }
    case 'end':
      return { text, cursor: text.length }
    case 'kill-to-end':
      return replaced(line, cursor, text.length, '')
    case 'kill-to-start':
      return replaced(line, 0, cursor, '')
    case 'kill-word':
      return replaced(line, wordStart(line, NOT_BLANK), cursor, '')
  }
}

/**
 * With something else from `start` to `end` and the cursor behind that: behind the whole grapheme
 * where the sides join to one.
 */
function replaced({ text }: Line, start: number, end: number, by: string): Line {
  const changed = text.slice(0, start) + by + text.slice(end)
  const cursor = start + by.length
  const at = graphemes.segment(changed).containing(cursor)
  return {
    text: changed,
    cursor: at === undefined || at.index === cursor ? cursor : at.index + at.segment.length,
  }
}

const before = ({ text, cursor }: Line): number =>
  cursor === 0 ? 0 : (graphemes.segment(text).containing(cursor - 1)?.index ?? 0)

function after({ text, cursor }: Line): number {
  const at = graphemes.segment(text).containing(cursor)
  return at === undefined ? cursor : at.index + at.segment.length
}

const WORD = /[\p{Letter}\p{Number}_]/u
const NOT_BLANK = /\S/u

/** Where the word begins that the cursor is in or behind. */
function wordStart({ text, cursor }: Line, kind: RegExp): number {
  const parts = [...graphemes.segment(text.slice(0, cursor))]
  let count = parts.length
  const skip = (inWord: boolean): void => {
    while (count > 0 && kind.test(parts[count - 1]?.segment ?? '') === inWord) count--
  }
  skip(false)
  skip(true)
  return parts[count]?.index ?? cursor
}

function wordEnd({ text, cursor }: Line): number {
  let end = cursor
  let inWord = false
  for (const { segment } of graphemes.segment(text.slice(cursor))) {
    const isWord = WORD.test(segment)
    if (inWord && !isWord) break
    inWord = isWord
    end += segment.length
  }
  return end
}

/** Stands for what is left and right of the part that is shown. */
const MORE = '…'

/**
 * The part of the line around the cursor in at most `width` (≥ 4) columns, and the cursor’s column
 * in that, which is always below `width`. The part moves by halves of the width, so that there is
 * something to be seen on both sides. Line feeds and tabs are shown as signs.
 */
export function visible({ text, cursor }: Line, width: number): { text: string; cursor: number } {
  const pieces = piecesOf(text)
  let total = 0
  let column = 0
  let offset = 0
  for (const piece of pieces) {
    if (offset < cursor) column += piece.width
    offset += piece.length
    total += piece.width
  }
  if (total < width) return { text: pieces.map((piece) => piece.shown).join(''), cursor: column }
  // The signs for more take a column on each side.
  const room = Math.max(1, width - 2)
  const step = Math.max(1, Math.floor(room / 2))
  const first = column < room ? 0 : Math.ceil((column - room + 1) / step) * step
  let part = ''
  let used = 0
  let left = 0
  for (const piece of pieces) {
    // A wide one that begins before goes with what is left out.
    const isIn = left >= first && used + piece.width <= room
    if (left >= first && !isIn) break
    if (isIn) {
      part += piece.shown
      used += piece.width
    }
    left += piece.width
  }
  const begin = first > 0 ? MORE : ''
  return {
    text: `${begin}${part}${left < total ? MORE : ''}`,
    cursor: column - (left - used) + displayWidth(begin),
  }
}

const SIGNS: Readonly<Record<string, string>> = { '\n': '↵', '\t': '⇥' }

const piecesOf = (text: string): { shown: string; width: number; length: number }[] =>
  Array.from(graphemesOf(text), (grapheme) => {
    const shown = SIGNS[grapheme] ?? grapheme
    return { shown, width: graphemeWidth(shown), length: grapheme.length }
  })
