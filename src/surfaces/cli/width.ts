import { stripVTControlCharacters } from 'node:util'

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** Columns that a text takes in a terminal: wide characters and emoji 2, combining marks 0, colour codes 0. */
export function displayWidth(text: string): number {
  const plain = stripVTControlCharacters(text)
  if (NARROW.test(plain)) return plain.length
  let width = 0
  for (const { segment } of graphemes.segment(plain)) width += graphemeWidth(segment)
  return width
}

/** The text if it fits, else its beginning and `…`, in at most `width` columns. Without colour codes. */
export function cut(text: string, width: number): string {
  if (width <= 0) return ''
  if (displayWidth(text) <= width) return text
  let taken = ''
  let used = 0
  for (const { segment } of graphemes.segment(stripVTControlCharacters(text))) {
    const next = graphemeWidth(segment)
    if (used + next > width - 1) break
    taken += segment
    used += next
  }
  return `${taken}…`
}

/** Filled up with spaces to `width` columns, at the end or, for numbers, at the start. Longer texts stay. */
export function pad(text: string, width: number, side: 'end' | 'start' = 'end'): string {
  const fill = ' '.repeat(Math.max(0, width - displayWidth(text)))
  return side === 'end' ? text + fill : fill + text
}

/** Characters of one column each, among them all that our own output draws with: they need no closer look. */
const NARROW = /^[\x20-\x7e\u00a0-\u00ac\u00ae-\u02ff\u2010-\u2027\u2500-\u25fc\u2713\u2717\u270e]*$/
const ASCII = /^[\x20-\x7e]*$/
const ZERO = /^(?:\p{Mark}|\p{Default_Ignorable_Code_Point}|\p{Control})+$/u
const EMOJI = /\p{Emoji_Presentation}|\ufe0f|\p{Regional_Indicator}{2}/u

function graphemeWidth(grapheme: string): number {
  if (ASCII.test(grapheme)) return grapheme.length
  if (ZERO.test(grapheme)) return 0
  if (EMOJI.test(grapheme)) return 2
  return isWide(grapheme.codePointAt(0) ?? 0) ? 2 : 1
}

/** East Asian Wide and Fullwidth blocks (Unicode Standard Annex 11), without the emoji that EMOJI covers. */
const WIDE: readonly (readonly [first: number, last: number])[] = [
  [0x1100, 0x115f],
  [0x2329, 0x232a],
  [0x2e80, 0x303e],
  [0x3041, 0x4dbf],
  [0x4e00, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18dff],
  [0x1aff0, 0x1b2ff],
  [0x1f200, 0x1f2ff],
  [0x20000, 0x3fffd],
]

const isWide = (point: number): boolean => WIDE.some(([first, last]) => point >= first && point <= last)
