import type { Palette } from './palette.ts'
import type { Terminal } from './terminal.ts'
import { cut, displayWidth, pad } from './width.ts'

export interface Column {
  readonly title: string
  readonly align?: 'start' | 'end'
  /** Columns it may be cut down to when the table is too wide; without, it is never cut. */
  readonly min?: number
  /** It is of no use when cut: where the table is too wide it is left out. */
  readonly isWhole?: boolean
}

/** A cell with its colour apart, so that it can be cut and padded by what is seen. */
export interface Cell {
  readonly text: string
  readonly paint?: ((text: string) => string) | undefined
}

const GAP = '  '

/**
 * Aligned lines with dim titles; cells that may be cut are, widest first, until all fit `width`
 * columns.
 */
export function renderTable(
  columns: readonly Column[],
  rows: readonly (readonly (Cell | string)[])[],
  options: { width: number; palette: Palette },
): string[] {
  const cells = rows.map((row) =>
    row.map((cell): Cell => (typeof cell === 'string' ? { text: cell } : cell)),
  )
  const widths = columns.map((column, index) =>
    Math.max(
      displayWidth(column.title),
      ...cells.map((row) => displayWidth(row[index]?.text ?? '')),
    ),
  )
  const room = options.width - GAP.length * (columns.length - 1)
  if (
    columns.some(({ isWhole }) => isWhole) &&
    widths.reduce((sum, width) => sum + width, 0) > room
  ) {
    const stays = (_: unknown, index: number): boolean => columns[index]?.isWhole !== true
    return renderTable(
      columns.filter(stays),
      cells.map((row) => row.filter(stays)),
      options,
    )
  }
  shrink(widths, columns, room)
  const line = (row: readonly Cell[]): string =>
    row
      .map((cell, index) => {
        const width = widths[index] ?? 0
        const text = cut(cell.text, width)
        const painted = (cell.paint ?? ((same: string) => same))(text)
        const fill = ' '.repeat(Math.max(0, width - displayWidth(text)))
        if (columns[index]?.align === 'end') return fill + painted
        return index === row.length - 1 ? painted : painted + fill
      })
      .join(GAP)
      .trimEnd()
  const titles = columns.map((column): Cell => ({ text: column.title, paint: options.palette.dim }))
  return [line(titles), ...cells.map(line)]
}

function shrink(widths: number[], columns: readonly Column[], room: number): void {
  const total = (): number => widths.reduce((sum, width) => sum + width, 0)
  while (total() > room) {
    let widest = -1
    for (const [index, column] of columns.entries()) {
      const width = widths[index] ?? 0
      if (
        column.min !== undefined &&
        width > column.min &&
        (widest < 0 || width > (widths[widest] ?? 0))
      )
        widest = index
    }
    if (widest < 0) return
    widths[widest] = (widths[widest] ?? 0) - 1
  }
}

/**
 * Columns a table may take: all it wants where nobody looks at it on a terminal, so that scripts
 * get whole cells.
 */
export const tableWidth = (context: {
  terminal: Pick<Terminal, 'stdout'>
  width: () => number
}): number => (context.terminal.stdout.isTTY === true ? context.width() : Infinity)

/** `Label  value` lines with the labels in one column. */
export function renderFacts(
  facts: readonly (readonly [label: string, value: string])[],
  palette: Palette,
): string[] {
  const width = Math.max(0, ...facts.map(([label]) => displayWidth(label)))
  return facts.map(([label, value]) => `${palette.dim(pad(label, width))}  ${value}`)
}
