import { stripVTControlCharacters } from 'node:util'

/** Made when it is needed: that takes 9 ms, more than most of what is loaded at a start. */
let segmenter: Intl.Segmenter | undefined

/**
 * Columns that a text takes in a terminal: wide characters and emoji 2, combining marks 0, colour
 * codes 0.
 */
export function displayWidth(text: string): number {
  const plain = stripVTControlCharacters(text)
  if (isNarrow(plain)) return plain.length
  let width = 0
  for (const grapheme of graphemesOf(plain)) width += graphemeWidth(grapheme)
  return width
}

/** Every character of it takes one column. Without colour codes. */
export const isNarrow = (plain: string): boolean => NARROW.test(plain)

/** What a person sees as one character each. Without colour codes. */
export function graphemesOf(plain: string): Iterable<string> {
  // A whole terminal’s text is measured between two frames: the segmenter takes too long for that
  // where it isn’t needed.
  if (ALONE.test(plain)) return plain
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  return Array.from(segmenter.segment(plain), ({ segment }) => segment)
}

/** What may stand behind a word’s part: a name is cut where it has joints. */
const JOINTS = /(?<=[\s\-_./:])/

/**
 * The text if it fits, else its beginning and `…`, in at most `width` columns, cut between words. A
 * word that no row of that width has room for is cut as it must be. What was cut has no colour codes.
 */
export function cut(text: string, width: number): string {
  if (width <= 0) return ''
  if (displayWidth(text) <= width) return text
  const plain = stripVTControlCharacters(text)
  let taken = ''
  for (const part of plain.split(JOINTS)) {
    if (displayWidth((taken + part).trimEnd()) <= width - 1) taken += part
    else if (displayWidth(part.trimEnd()) <= width - 1 && taken.trim() !== '') break
    else return cutWithin(plain, width)
  }
  return `${taken.trimEnd()}…`
}

function cutWithin(text: string, width: number): string {
  let taken = ''
  let used = 0
  for (const grapheme of graphemesOf(text)) {
    const next = graphemeWidth(grapheme)
    if (used + next > width - 1) break
    taken += grapheme
    used += next
  }
  return `${taken}…`
}

/**
 * Filled up with spaces to `width` columns, at the end or, for numbers, at the start. Longer texts
 * stay.
 */
export function pad(text: string, width: number, side: 'end' | 'start' = 'end'): string {
  const fill = ' '.repeat(Math.max(0, width - displayWidth(text)))
  return side === 'end' ? text + fill : fill + text
}

/**
 * Characters of one column each that join no other: Latin, Greek, Cyrillic, signs, and what
 * terminals are drawn with.
 */
const ONE =
  '\\x20-\\x7e\\u00a0-\\u00ac\\u00ae-\\u02ff\\u0370-\\u0482\\u048a-\\u058f\\u1e00-\\u1fff\\u2010-\\u2027\\u2030-\\u205e\\u20a0-\\u20c0\\u2100-\\u28ff'
/** Ideographs and syllables, which join no other either. */
const TWO =
  '\\u3000-\\u3029\\u3030-\\u303e\\u3041-\\u3096\\u309b-\\u4dbf\\u4e00-\\ua4cf\\uac00-\\ud7a3\\uf900-\\ufaff\\uff01-\\uff60'
const ONLY = (characters: string): RegExp =>
  new RegExp(`^[[${characters}]--[\\p{Emoji_Presentation}\\u2329\\u232a]]*$`, 'v')
const NARROW = ONLY(ONE)
const ALONE = ONLY(`\\t${ONE}${TWO}`)
const ZERO = /^(?:\p{Mark}|\p{Default_Ignorable_Code_Point}|\p{Control})+$/u
const EMOJI = /\p{Emoji_Presentation}|\ufe0f|\p{Regional_Indicator}{2}/u

/** Columns of one of them. */
export function graphemeWidth(grapheme: string): number {
  if (grapheme.length === 1 && NARROW.test(grapheme)) return 1
  if (ZERO.test(grapheme)) return 0
  if (EMOJI.test(grapheme)) return 2
  return isWide(grapheme.codePointAt(0) ?? 0) ? 2 : 1
}

/**
 * East Asian Wide and Fullwidth blocks (Unicode Standard Annex 11), without the emoji that EMOJI
 * covers.
 */
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

const isWide = (point: number): boolean =>
  WIDE.some(([first, last]) => point >= first && point <= last)
