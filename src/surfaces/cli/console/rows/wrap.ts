import { printable } from '../../../text/printable.ts'
import { graphemesOf, graphemeWidth, isNarrow } from '../../../text/width.ts'

const TAB = 8
const ASCII = /^[\x20-\x7e]*$/

/**
 * A line of foreign text as rows of at most `width` columns (two at least, the widest character),
 * broken where a terminal would. Escape sequences and control characters are taken out, tabs become
 * spaces, no other text is lost. Line feeds and carriage returns within it begin a row.
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

function wrapPart(text: string, columns: number): string[] {
  if (isNarrow(text)) return chunks(text, columns)
  const rows: string[] = []
  let row = ''
  let used = 0
  const add = (piece: string, width: number): void => {
    if (used + width > columns) {
      rows.push(row)
      row = ''
      used = 0
    }
    row += piece
    used += width
  }
  for (const grapheme of graphemesOf(text)) {
    if (grapheme !== '\t') add(grapheme, graphemeWidth(grapheme))
    else {
      if (used === columns) add('', 1)
      const fill = Math.min(TAB - (used % TAB), columns - used)
      add(' '.repeat(fill), fill)
    }
  }
  return [...rows, row]
}

function chunks(text: string, length: number): string[] {
  if (text.length <= length) return [text]
  const rows: string[] = []
  for (let start = 0; start < text.length; start += length)
    rows.push(text.slice(start, start + length))
  return rows
}
