import { linesWords } from '../../../../domain/formats/line-range.ts'
import type { DiffRow } from '../../../text/diff/diff-rows.ts'
import type { Palette } from '../../../text/palette.ts'
import { displayWidth } from '../../../text/width.ts'
import { wrapLine, wrapText } from '../rows/wrap.ts'
import { commentsAt, type Review } from './review.ts'

const SIGNS: Readonly<Partial<Record<DiffRow['kind'], string>>> = { new: '+', old: '-' }

/** Columns of the numbers of lines, in the widest row. */
export const numberWidth = (rows: readonly DiffRow[]): number =>
  String(rows.reduce((most, { line, old }) => Math.max(most, line ?? 0, old ?? 0), 0)).length

/** A row of a diff as rows of at most `width` columns, with `mark` in front of the first. */
export function diffLineRows(
  row: DiffRow,
  {
    width,
    numbers,
    palette,
    mark = '',
  }: {
    readonly width: number
    /** Columns of the numbers. */
    readonly numbers: number
    readonly palette: Palette
    /** In front of the first row; none without. */
    readonly mark?: string
  },
): string[] {
  const paint = paintOf(row.kind, palette)
  const before = displayWidth(mark)
  const indent = ' '.repeat(before)
  if (row.kind === 'file' || row.kind === 'hunk' || row.kind === 'meta')
    return wrapLine(row.text, width - before).map(
      (text, index) => `${index === 0 ? mark : indent}${paint(text)}`,
    )
  const number = String(row.line ?? row.old ?? '').padStart(numbers)
  const head = `${number} ${SIGNS[row.kind] ?? ' '} `
  const room = Math.max(8, width - before - head.length)
  return wrapLine(row.text, room).map((text, index) =>
    index === 0
      ? `${mark}${palette.dim(`${number} `)}${paint(`${SIGNS[row.kind] ?? ' '} ${text}`)}`
      : `${indent}${' '.repeat(head.length)}${paint(text)}`,
  )
}

function paintOf(kind: DiffRow['kind'], palette: Palette): (text: string) => string {
  switch (kind) {
    case 'file':
      return palette.bold
    case 'hunk':
      return palette.active
    case 'new':
      return palette.good
    case 'old':
      return palette.bad
    case 'meta':
    case 'note':
      return palette.dim
    case 'context':
      return (text) => text
  }
}

/** What is to be said of a row, below it. */
export function commentRows(
  review: Review,
  index: number,
  { width, palette }: { readonly width: number; readonly palette: Palette },
): string[] {
  return commentsAt(review, index).flatMap((comment) =>
    wrapText(
      `${linesWords(comment.line, comment.from, comment.side)}: ${comment.body}`,
      width - 6,
    ).map((text) => `  ${palette.special('┊')}   ${palette.special(text)}`),
  )
}
