import type { TreeNode } from '../../../../core/agents/tree-document.ts'
import type { Palette } from '../../../text/palette.ts'
import { printableLine } from '../../../text/printable.ts'
import { shortDuration } from '../../../text/duration.ts'
import type { Cell } from '../../../text/table.ts'
import { labelOf } from '../../../text/tree/rows.ts'
import { agentState, checksCell, pullCell, turnName } from '../../../text/tree/tree-cells.ts'
import { cut, displayWidth } from '../../../text/width.ts'
import { wrapText } from '../rows/wrap.ts'
import type { OverviewRow } from './overview-rows.ts'

export interface ListOptions {
  /** Index of the selected row. */
  readonly selected: number
  readonly width: number
  readonly height: number
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly palette: Palette
  /** Turns the sign of what runs. */
  readonly spin: number
}

type ItemRow = Extract<OverviewRow, { kind: 'item' }>
type AgentRow = Extract<OverviewRow, { kind: 'agent' }>

/** Rows that one item takes at most: the preview has all of it. */
const MOST_OF_ITEM = 3

/**
 * At most `height` rows of at most `width` columns, moved so that the selected one is to be seen
 * with what stands around it.
 */
export function listRows(rows: readonly OverviewRow[], options: ListOptions): string[] {
  const { selected, height, width, palette } = options
  if (rows.length === 0)
    return wrapText('Nothing here is called so. Escape shows all again.', width)
      .slice(0, height)
      .map(palette.dim)
  const columns = columnsOf(rows, options)
  // Only what can be seen is drawn: each row takes one line at least.
  const first = Math.max(0, selected - height)
  const blocks = rows
    .slice(first, selected + height + 1)
    .map((row, index) =>
      row.kind === 'item'
        ? itemRows(row, first + index === selected, options)
        : [agentRow(row, first + index === selected, columns, options)],
    )
  const at = selected - first
  const start = blocks.slice(0, at).reduce((sum, block) => sum + block.length, 0)
  const size = blocks[at]?.length ?? 0
  const all = blocks.flat()
  // In the middle, as far as there is something on both sides.
  const middle = start - Math.floor((height - size) / 2)
  const from = Math.max(0, Math.min(middle, all.length - height, start))
  return all.slice(from, from + height)
}

const mark = (isSelected: boolean): string => (isSelected ? '▶ ' : '  ')

function itemRows(
  { item, number }: ItemRow,
  isSelected: boolean,
  { width, now, palette }: ListOptions,
): string[] {
  const words = `${number === null ? '' : `${number} `}${printableLine(item.title)} · ${shortDuration((now - item.since) / 1000)}`
  const paint = item.type === 'failed' ? palette.bad : palette.attention
  const lines = wrapText(words, width - 4)
  const shown =
    lines.length <= MOST_OF_ITEM
      ? lines
      : [
          ...lines.slice(0, MOST_OF_ITEM - 1),
          cut(lines.slice(MOST_OF_ITEM - 1).join(' '), width - 4),
        ]
  return shown.map((line, index) => {
    const text = `${index === 0 ? `${mark(isSelected)}! ` : '    '}${line}`
    return isSelected ? palette.bold(paint(text)) : paint(text)
  })
}

interface Columns {
  readonly name: number
  readonly state: number
  readonly pull: number
  readonly task: number
  readonly shorts: ReadonlyMap<string, string>
}

const GAP = '  '
const LEAST_TASK = 16

/** How wide each is; 0 for what has no room. */
function columnsOf(rows: readonly OverviewRow[], { width, palette }: ListOptions): Columns {
  const agents = rows.filter((row) => row.kind === 'agent')
  const shorts = new Map(agents.map(({ row: { node } }) => [node.id as string, node.short]))
  const widest = (textOf: (row: AgentRow) => string): number =>
    Math.max(0, ...agents.map((row) => displayWidth(textOf(row))))
  let room = width - 2
  const take = (wanted: number, most: number): number => {
    const taken = Math.max(0, Math.min(wanted, most))
    room -= taken + GAP.length
    return taken
  }
  const name = take(
    widest(({ row }) => row.guides + labelOf(row) + conflictMark(row.node)),
    Math.max(16, Math.floor(room * 0.45)),
  )
  const pulls = widest(({ row: { node } }) => pullWords(node, palette).text)
  const state = take(
    widest(({ row: { node } }) => stateCell(node, shorts, palette, 0).text),
    pulls > 0 && room >= 16 + GAP.length + pulls ? room - pulls - GAP.length : room,
  )
  const pull = pulls <= room ? take(pulls, room) : 0
  return { name, state, pull, task: room >= LEAST_TASK ? room : 0, shorts }
}

const stateCell = (
  node: TreeNode,
  shorts: ReadonlyMap<string, string>,
  palette: Palette,
  frame: number,
): Cell => agentState(node, palette, { frame, turn: turnName(node, shorts) })

/** Number, state and the sign of its checks. */
function pullWords(node: TreeNode, palette: Palette): Cell {
  const pull = pullCell(node, palette)
  const checks = node.pr?.state === 'open' ? checksCell(node, palette) : { text: '' }
  const sign = checks.text.slice(0, 1)
  return {
    text: [pull.text, sign].filter((part) => part !== '').join(' '),
    paint: () => [paintedCell(pull), paintedCell({ ...checks, text: sign })].join(' ').trimEnd(),
  }
}

/** Its work would conflict with that of others. */
const conflictMark = ({ conflicts }: TreeNode): string => (conflicts.length === 0 ? '' : ' ⚠')

const paintedCell = ({ text, paint }: Cell): string => paint?.(text) ?? text

function agentRow(
  { row }: AgentRow,
  isSelected: boolean,
  columns: Columns,
  { palette, spin }: ListOptions,
): string {
  const { node, guides } = row
  const warning = conflictMark(node)
  const label = cut(labelOf(row), columns.name - guides.length - displayWidth(warning))
  const paintName = isSelected ? palette.bold : node.matches ? (text: string) => text : palette.dim
  const state = stateCell(node, columns.shorts, palette, spin)
  const stateText = cut(state.text, columns.state)
  const pull = pullWords(node, palette)
  const cells: [text: string, painted: string, width: number][] = [
    [
      guides + label + warning,
      palette.dim(guides) + paintName(label) + palette.attention(warning),
      columns.name,
    ],
    [stateText, paintedCell({ ...state, text: stateText }), columns.state],
  ]
  if (columns.pull > 0) cells.push([pull.text, paintedCell(pull), columns.pull])
  if (columns.task > 0) {
    const task = cut(printableLine(node.task), columns.task)
    cells.push([task, palette.dim(task), columns.task])
  }
  const line = cells
    .map(([text, painted, width]) => painted + ' '.repeat(Math.max(0, width - displayWidth(text))))
    .join(GAP)
    .trimEnd()
  return `${isSelected ? palette.active(mark(true)) : mark(false)}${line}`
}
