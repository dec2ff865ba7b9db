import { printable } from '../../../text/printable.ts'
import { displayWidth, graphemesOf, graphemeWidth, isNarrow } from '../../../text/width.ts'

const TAB = 8
const ASCII = /^[\x20-\x7e]*$/

/**
 * A line of foreign text as rows of at most `width` columns (two at least, the widest character),
 * broken between words; a word that is longer than a row is broken where a terminal would. Escape
 * sequences and control characters are taken out, tabs become spaces; blanks at a break go, no
 * other text is lost. Line feeds and carriage returns within it begin a row.
 */
export function wrapLine(line: string, width: number): string[] {
  const columns = Math.max(2, width)
  if (ASCII.test(line)) return chunks(line, columns)
  return printable(line.replace(/\r+$/, ''))
    .split('\n')
    .flatMap((part) => wrapPart(part, columns))
}

/** The same of a text of several lines. */
export const wrapText = (text: string, width: number): string[] =>
  text.split('\n').flatMap((line) => wrapLine(line, width))

/** What is broken apart only where it has no row to itself: blanks, or a word. */
const PIECES = / +|[^ ]+/g

function wrapPart(text: string, columns: number): string[] {
  const plain = text.includes('\t') ? withoutTabs(text) : text
  if (isNarrow(plain)) return chunks(plain, columns)
  const row = createRows(columns)
  for (const [piece] of plain.matchAll(PIECES)) row.add(piece, displayWidth(piece))
  return row.rows()
}

function chunks(text: string, columns: number): string[] {
  if (text.length <= columns) return [text]
  const row = createRows(columns)
  for (const [piece] of text.matchAll(PIECES)) row.add(piece, piece.length)
  return row.rows()
}

/** Puts words in rows. The blanks that a line begins with stay. */
function createRows(columns: number): {
  add(piece: string, width: number): void
  rows(): string[]
} {
  const done: string[] = []
  let row = ''
  let used = 0
  let blanks = ''
  const end = (): void => {
    done.push(row)
    row = ''
    used = 0
  }
  const put = (piece: string, width: number): void => {
    row += piece
    used += width
  }
  return {
    add: (piece, width) => {
      if (piece.startsWith(' ')) {
        blanks = piece
        return
      }
      const gap = blanks
      blanks = ''
      if (used + gap.length + width <= columns) return put(gap + piece, gap.length + width)
      if (used > 0) end()
      else if (gap.length > 0 && width <= columns)
        return put(' '.repeat(columns - width) + piece, columns)
      if (width <= columns) return put(piece, width)
      for (const grapheme of graphemesOf(piece)) {
        const one = graphemeWidth(grapheme)
        if (used + one > columns) end()
        put(grapheme, one)
      }
    },
    rows: () => [...done, row + (blanks.length + used <= columns ? blanks : '')],
  }
}

/** As a terminal has them: up to the next eighth column. */
function withoutTabs(text: string): string {
  let line = ''
  for (const part of text.split(/(\t)/))
    line += part === '\t' ? ' '.repeat(TAB - (displayWidth(line) % TAB)) : part
  return line
}
