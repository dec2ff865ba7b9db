import { shortDuration } from '../duration.ts'
import type { Palette } from '../palette.ts'
import { printableLine } from '../printable.ts'
import { renderTable, type Cell, type Column } from '../table.ts'
import {
  agentState,
  checksCell,
  costCell,
  pullCell,
  ranSeconds,
  sinceCell,
  tokensCell,
  turnName,
} from './tree-cells.ts'
import type { TreeNode } from '../../../core/agents/tree-document.ts'
import { cut, displayWidth } from '../width.ts'
import { labelOf, type Row } from './rows.ts'

interface TableOptions {
  readonly width: number
  readonly palette: Palette
  /** Turns the sign of what runs. */
  readonly frame?: number
}

/** In the order in which columns are left out where even cut cells don’t fit. */
type ColumnName =
  | 'kind'
  | 'age'
  | 'since'
  | 'cost'
  | 'tokens'
  | 'checks'
  | 'mail'
  | 'pr'
  | 'state'
  | 'branch'
const SACRIFICE: readonly ColumnName[] = [
  'kind',
  'age',
  'since',
  'cost',
  'tokens',
  'checks',
  'mail',
  'pr',
  'state',
]

/** Columns that nothing is to be seen in leave their room to the others. */
const ONLY_WHERE_FILLED: ReadonlySet<ColumnName> = new Set(['checks', 'tokens', 'cost', 'mail'])

const COLUMNS: Readonly<Record<ColumnName, Column & { readonly min: number }>> = {
  branch: { title: 'AGENT', min: 14 },
  kind: { title: 'KIND', min: 7 },
  state: { title: 'STATE', min: 20 },
  since: { title: 'SINCE', min: 8 },
  pr: { title: 'PR', min: 9 },
  checks: { title: 'CHECKS', min: 8 },
  tokens: { title: 'TOKENS', min: 6, align: 'end' },
  cost: { title: 'COST', min: 7, align: 'end' },
  age: { title: 'AGE', min: 3, align: 'end' },
  mail: { title: 'MAIL', min: 4, align: 'end' },
}

/** Titles, then a line for each row; none is wider than asked for. */
export function tableOf(rows: readonly Row[], options: TableOptions): string[] {
  const shorts = new Map(rows.map(({ node }) => [node.id, node.short]))
  const all = new Map(
    (Object.keys(COLUMNS) as ColumnName[]).map((name) => [
      name,
      rows.map((row) => inRow(row, cellOf(name, row, shorts, options), options.palette)),
    ]),
  )
  const names = columnsThatFit(all, options.width)
  const cells = rows.map((_, index) => names.map((name) => all.get(name)?.[index] ?? ''))
  const tasks = tasksThatFit(rows, all, names, options)
  const [titles = '', ...lines] = renderTable(
    [...names.map((name) => COLUMNS[name]), ...(tasks === null ? [] : [{ title: 'TASK' }])],
    cells.map((row, index) => [...row, ...(tasks === null ? [] : [tasks[index] ?? ''])]),
    options,
  )
  return [
    titles,
    ...lines.map((line, index) => {
      const row = rows[index]
      return row === undefined || row.folded === 0
        ? line
        : options.palette.dim(cut(row.guides + labelOf(row), options.width))
    }),
  ]
}

/** A folded row is a line of its own; one that only shows where others are is dim. */
function inRow({ node, folded }: Row, cell: Cell, palette: Palette): Cell {
  if (folded > 0) return { text: '' }
  return node.matches ? cell : { text: cell.text, paint: palette.dim }
}

/** Columns of a task that say something. */
const LEAST_TASK = 16

/** The first words of tasks, cut to the room that nothing else wants; null where there is none. */
function tasksThatFit(
  rows: readonly Row[],
  columns: ReadonlyMap<ColumnName, readonly Cell[]>,
  names: readonly ColumnName[],
  { width, palette }: TableOptions,
): Cell[] | null {
  const taken = names.reduce((sum, name) => sum + widthOf(name, columns.get(name) ?? []) + 2, 0)
  const room = width - taken
  if (room < LEAST_TASK || rows.every(({ node }) => node.task === '')) return null
  return rows.map(({ node, folded }) => ({
    text: folded > 0 ? '' : cut(printableLine(node.task), room),
    paint: palette.dim,
  }))
}

const widthOf = (name: ColumnName, cells: readonly Cell[]): number =>
  Math.max(displayWidth(COLUMNS[name].title), ...cells.map(({ text }) => displayWidth(text)))

function columnsThatFit(
  cells: ReadonlyMap<ColumnName, readonly Cell[]>,
  width: number,
): ColumnName[] {
  const names = [...cells]
    .filter(
      ([name, column]) => !ONLY_WHERE_FILLED.has(name) || column.some(({ text }) => text !== ''),
    )
    .map(([name]) => name)
  const leastOf = (name: ColumnName): number =>
    Math.min(COLUMNS[name].min, widthOf(name, cells.get(name) ?? []))
  const least = (): number =>
    names.reduce((sum, name) => sum + leastOf(name), 2 * (names.length - 1))
  for (const name of SACRIFICE)
    if (least() > width && names.includes(name)) names.splice(names.indexOf(name), 1)
  return names
}

function cellOf(
  name: ColumnName,
  row: Row,
  shorts: ReadonlyMap<string, string>,
  { palette, frame = 0 }: TableOptions,
): Cell {
  const { node, guides } = row
  switch (name) {
    case 'branch':
      return {
        text: guides + labelOf(row),
        paint: (text) => paintBranch(text, guides.length, palette),
      }
    case 'kind':
      return { text: printableLine(node.kind), paint: palette.dim }
    case 'state':
      return agentState(node, palette, { frame, turn: turnName(node, shorts) })
    case 'since':
      return sinceCell(node, palette)
    case 'pr':
      return pullCell(node, palette)
    case 'checks':
      return checksCell(node, palette)
    case 'tokens':
      return tokensCell(node, palette)
    case 'cost':
      return costCell(node, palette)
    case 'age':
      return { text: shortDuration(ranSeconds(node)), paint: palette.dim }
    case 'mail':
      return mailCell(node, palette)
  }
}

const paintBranch = (text: string, guides: number, palette: Palette): string =>
  palette.dim(text.slice(0, guides)) + palette.bold(text.slice(guides))

/** Messages on their way; `!` marks those of which nobody knows whether they arrived. */
function mailCell(node: TreeNode, palette: Palette): Cell {
  if (node.undecided > 0)
    return {
      text: `${node.undecided}!${node.undelivered > 0 ? ` ${node.undelivered}` : ''}`,
      paint: palette.bad,
    }
  return { text: node.undelivered === 0 ? '' : String(node.undelivered), paint: palette.attention }
}
