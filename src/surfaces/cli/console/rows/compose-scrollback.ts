import type { ScrollbackLine } from '../../../../core/spawn/agent-forks.ts'
import type { Colour, Palette } from '../../../text/palette.ts'
import { captureRows, GUTTER } from './capture-rows.ts'
import { createTextRows, linesOf } from './text-rows.ts'
import { waitRows } from './wait-rows.ts'
import { wrapText } from './wrap.ts'

/**
 * What the console itself says in an agent’s scrollback: what it did, what went wrong. It is kept
 * nowhere.
 */
export interface Notice {
  readonly text: string
  /** Milliseconds since the epoch. */
  readonly at: number
  /** Lines of the terminal’s text that stood above it then. */
  readonly line: number
  readonly colour: Colour
}

export interface Scrollback {
  /** Of the agent’s terminal, as it came. */
  readonly text: string
  /** Oldest first, as the notices are. */
  readonly entries: readonly ScrollbackLine[]
  readonly notices: readonly Notice[]
  /** The row that says how the agent ended (`endRow`); null while it lives. */
  readonly dead: string | null
  readonly width: number
  readonly palette: Palette
}

/**
 * Draws scrollbacks: all rows of an agent’s, none wider than `width` columns (≥ 4), safe to print.
 * The terminal’s text is wrapped, entries and notices stand at the lines at which they were
 * written, those beyond the end behind it. Keeps what the next frame mostly needs again.
 */
export function createScrollback(): (scrollback: Scrollback) => string[] {
  const textRows = createTextRows()
  let drawn = new WeakMap<ScrollbackLine | Notice, readonly string[]>()
  let drawnFor: { width: number; palette: Palette } | null = null
  return ({ text, entries, notices, dead, width, palette }) => {
    if (drawnFor?.width !== width || drawnFor.palette !== palette) {
      drawn = new WeakMap()
      drawnFor = { width, palette }
    }
    const rowsOf = (beside: ScrollbackLine | Notice): readonly string[] => {
      const rows = drawn.get(beside) ?? besideRows(beside, { width, palette })
      drawn.set(beside, rows)
      return rows
    }
    const { lines, rows: wrapped, starts } = textRows(text, width)
    const pieces: (readonly string[])[] = []
    let taken = 0
    for (const beside of inOrder(entries, notices, lines.length)) {
      const start = starts[Math.min(beside.line, lines.length)] ?? 0
      pieces.push(wrapped.slice(taken, start), rowsOf(beside))
      taken = start
    }
    return [...pieces, wrapped.slice(taken), dead === null ? [] : [dead]].flat()
  }
}

/**
 * By where they stand; of those at one line (the end of a text that became shorter among them) the
 * older first.
 */
const inOrder = (
  entries: readonly ScrollbackLine[],
  notices: readonly Notice[],
  end: number,
): (ScrollbackLine | Notice)[] =>
  [...entries, ...notices].sort(
    (a, b) => Math.min(a.line, end) - Math.min(b.line, end) || a.at - b.at,
  )

/** How many lines a terminal’s text has, as the `line` of entries and notices counts them. */
export const lineCount = (text: string): number => linesOf(text).length

function besideRows(
  beside: ScrollbackLine | Notice,
  drawing: { readonly width: number; readonly palette: Palette },
): string[] {
  if ('colour' in beside) return noticeRows(beside, drawing)
  return beside.kind === 'wait' ? waitRows(beside, drawing) : captureRows(beside, drawing)
}

const noticeRows = (
  { text, colour }: Notice,
  { width, palette }: { readonly width: number; readonly palette: Palette },
): string[] =>
  wrapText(text.trimEnd(), width - GUTTER.length).map(
    (row) => `${palette.dim(GUTTER)}${palette[colour](row)}`,
  )

/** Index of the first row that is seen; null while the end is followed. */
export type Scroll = number | null

export interface Window {
  /** Exactly `height` rows, blank ones below where there are fewer. */
  readonly rows: string[]
  /** As asked for where that is possible. */
  readonly scroll: Scroll
  /** How many rows are hidden below. */
  readonly below: number
}

/**
 * The rows that are seen. A position that is not at the end stays where it is while rows are added
 * there.
 */
export function window(rows: readonly string[], height: number, scroll: Scroll): Window {
  const first = firstRow(scroll, rows.length, height)
  const shown = rows.slice(first, first + height)
  return {
    rows: [...shown, ...Array.from({ length: height - shown.length }, () => '')],
    scroll: scroll === null || first >= rows.length - height ? null : first,
    below: Math.max(0, rows.length - first - height),
  }
}

/**
 * The position `by` rows further down (negative: up) where `total` rows are seen through `height`.
 */
export function scrolled(scroll: Scroll, by: number, total: number, height: number): Scroll {
  const first = firstRow(firstRow(scroll, total, height) + by, total, height)
  return first >= total - height ? null : first
}

function firstRow(scroll: Scroll, total: number, height: number): number {
  const last = Math.max(0, total - height)
  return scroll === null ? last : Math.min(Math.max(0, scroll), last)
}
