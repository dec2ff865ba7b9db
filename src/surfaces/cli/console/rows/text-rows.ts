import { wrapLine } from './wrap.ts'

/** A terminal’s text as rows. */
export interface TextRows {
  readonly lines: readonly string[]
  readonly rows: readonly string[]
  /** For each line the index of its first row, and behind the last line how many rows there are. */
  readonly starts: readonly number[]
}

/** The lines by which entries count: without blank ones at the end. */
export function linesOf(text: string): string[] {
  const trimmed = text.trimEnd()
  return trimmed === '' ? [] : trimmed.split('\n')
}

/**
 * Wraps a terminal’s text again and again: only the lines behind those that it had the last time
 * already, be it that the end changed or that more came, and where the terminal forgot its oldest
 * lines for that. So a frame during a flood costs what is new.
 */
export function createTextRows(wrap = wrapLine): (text: string, width: number) => TextRows {
  let known: TextRows & { readonly width: number } = { lines: [], rows: [], starts: [0], width: 0 }
  return (text, width) => {
    const lines = linesOf(text)
    const from = known.width === width ? shiftTo(known.lines, lines) : 0
    const same = known.width === width ? sameLines(known.lines, from, lines) : 0
    const first = known.starts[from] ?? 0
    const rows = known.rows.slice(first, known.starts[from + same])
    const starts = known.starts.slice(from, from + same + 1).map((start) => start - first)
    for (let index = same; index < lines.length; index++) {
      for (const row of wrap(lines[index] ?? '', width)) rows.push(row)
      starts.push(rows.length)
    }
    known = { lines, rows, starts, width }
    return known
  }
}

/** How many lines from `from` on are those that `lines` begins with. */
function sameLines(before: readonly string[], from: number, lines: readonly string[]): number {
  const most = Math.min(before.length - from, lines.length)
  let count = 0
  while (count < most && before[from + count] === lines[count]) count++
  return count
}

/** So many lines in a row are taken for the same ones. */
const ENOUGH = 20

/**
 * Where in the lines of before those begin that are the first now; 0 where that can’t be
 * determined.
 */
function shiftTo(before: readonly string[], lines: readonly string[]): number {
  const [first] = lines
  if (first === undefined || lines.length < ENOUGH || sameLines(before, 0, lines) >= ENOUGH)
    return 0
  const head = lines.slice(0, ENOUGH)
  for (let from = before.indexOf(first); from >= 0; from = before.indexOf(first, from + 1)) {
    if (sameLines(before, from, head) === ENOUGH) return from
  }
  return 0
}
