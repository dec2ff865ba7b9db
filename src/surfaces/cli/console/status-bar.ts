import type { TreeNode } from '../../../core/agents/tree-document.ts'
import type { Palette } from '../../text/palette.ts'
import { printableLine } from '../../text/printable.ts'
import { needWords } from '../../text/need-words.ts'
import { plural, shortCount } from '../../text/quantity.ts'
import type { Cell } from '../../text/table.ts'
import {
  agentState,
  checksCell,
  costCell,
  pullCell,
  sinceCell,
  turnName,
} from '../../text/tree/tree-cells.ts'
import { cut, displayWidth } from '../../text/width.ts'

export interface StatusBarOptions {
  /** From the root down to the node, as `pathTo` gives it. */
  readonly path: readonly TreeNode[]
  /** Place in the rotation, from 1, of `total`. */
  readonly position: number
  readonly total: number
  /** Of the open capture; null where none is open. */
  readonly capture_lines: number | null
  /** What waits for the person. */
  readonly inbox: { readonly items: number; readonly news: number }
  readonly width: number
  readonly palette: Palette
  /** Why what is shown may be old; null where all is well. */
  readonly trouble: string | null
  /** Counts up: turns the sign of a running agent. */
  readonly frame?: number
}

const GAP = '  '

/**
 * Two rows of at most `width` columns: where the agent is in the tree and what waits for the
 * person; how the agent does. What matters least is left out where there is no room. Trouble takes
 * the second row’s place.
 */
export function statusBar(node: TreeNode, options: StatusBarOptions): string[] {
  const { palette, width, trouble } = options
  const second =
    trouble === null
      ? stateRow(node, options)
      : palette.bad(cut(`! ${printableLine(trouble)}`, width))
  return [placeRow(options), second]
}

/**
 * The place on the left, cut from the left; on the right capture, inbox and position, in fewer
 * words where there is no room for more.
 */
function placeRow({
  path,
  position,
  total,
  capture_lines: lines,
  inbox,
  width,
  palette,
}: StatusBarOptions): string {
  const names = path.map((one, index) =>
    printableLine(index === 0 && one.kind === 'root' ? one.branch : one.name),
  )
  const capture: Words[] =
    lines === null
      ? []
      : [[[`┊ capture: ${plural(lines, 'line')}`, `┊ capture ${lines}`], palette.special]]
  const parts: Words[] = [
    ...capture,
    ...inboxWords(inbox, palette),
    [[`${position}/${total}`], palette.dim],
  ]
  const whole = displayWidth(names.join(JOINT)) + GAP.length
  const shortFrom = (from: number): Cell[] =>
    parts.map(([texts, paint], index) => ({ text: texts.at(index >= from ? -1 : 0) ?? '', paint }))
  // Fewer words from the right, until the place is seen whole; where there is no room for even
  // that, the position stays longest.
  const shown =
    [parts.length, 1, 0]
      .map(shortFrom)
      .find((cells) => whole + widthOf(cells.map(({ text }) => text)) <= width) ?? shortFrom(0)
  while (
    shown.length > 0 &&
    widthOf(shown.map(({ text }) => text)) + GAP.length + LEAST_NAME > width
  )
    shown.shift()
  const right = widthOf(shown.map(({ text }) => text))
  const room = width - (right === 0 ? 0 : right + GAP.length)
  const { above, name } = placeIn(names, room)
  const fill = ' '.repeat(Math.max(0, width - right - displayWidth(above + name)))
  return `${palette.dim(above)}${palette.bold(name)}${right === 0 ? '' : fill}${shown.map(painted).join(GAP)}`
}

/** In many words, and in few. */
type Words = readonly [texts: readonly string[], paint: (text: string) => string]

const JOINT = ' › '
const LEAST_NAME = 8

const widthOf = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + displayWidth(text), 0) +
  GAP.length * Math.max(0, texts.length - 1)

/** The way down to the agent: as many of those above it as there is room for, the nearest first. */
function placeIn(names: readonly string[], room: number): { above: string; name: string } {
  const name = cut(names.at(-1) ?? '', room)
  let above = ''
  for (let index = names.length - 2; index >= 0; index--) {
    const longer = `${names[index]}${JOINT}${above}`
    const left = index === 0 ? '' : `…${JOINT}`
    if (displayWidth(left + longer + name) > room) {
      const cutOff = `…${JOINT}${above}`
      return { above: displayWidth(cutOff + name) <= room ? cutOff : above, name }
    }
    above = longer
  }
  return { above, name }
}

/** What needs the person; news alone are seen there and call nobody. */
function inboxWords({ items, news }: StatusBarOptions['inbox'], palette: Palette): Words[] {
  if (items > 0)
    return [[[`! /inbox: ${needWords({ items })} you`, `! /inbox ${items}`], palette.attention]]
  return news === 0 ? [] : [[[`/inbox: ${plural(news, 'message')}`, `/inbox ${news}`], palette.dim]]
}

/** How the agent does, most important first; what has no room is left out from the end. */
export function stateRow(
  node: TreeNode,
  {
    path,
    width,
    palette,
    frame = 0,
  }: Pick<StatusBarOptions, 'path' | 'width' | 'palette' | 'frame'>,
): string {
  const shorts = new Map(path.map(({ id, short }) => [id, short]))
  const state = agentState(node, palette, { frame, turn: turnName(node, shorts) })
  const cells: Cell[] = [
    ...optional(pullWithChecks(node, palette)),
    ...(node.unread > 0 ? [{ text: `${node.unread} unread`, paint: palette.attention }] : []),
    ...(node.undecided > 0 ? [{ text: `${node.undecided}! undecided`, paint: palette.bad }] : []),
    ...(node.undelivered > 0
      ? [{ text: `${node.undelivered} undelivered`, paint: palette.attention }]
      : []),
    // A process has neither.
    ...(node.command === null
      ? [
          { text: `${shortCount(node.tokens)} tokens`, paint: palette.dim },
          { text: plural(node.tool_calls, 'call'), paint: palette.dim },
        ]
      : [{ text: `process ${node.pid ?? ''}`.trimEnd(), paint: palette.dim }]),
    ...(node.open_questions > 0
      ? [{ text: plural(node.open_questions, 'open question'), paint: palette.attention }]
      : []),
    ...optional(costCell(node, palette)),
    sinceCell(node, palette),
    {
      text: [node.role, ...(node.agent === null ? [] : [node.agent])].map(printableLine).join(' '),
      paint: palette.dim,
    },
    { text: printableLine(node.branch), paint: palette.dim },
  ]
  const others = cells.reduce((sum, { text }) => sum + GAP.length + displayWidth(text), 0)
  const whole = displayWidth(state.text)
  const least = Math.min(whole, LEAST_STATE)
  // A long reason is cut before anything is left out.
  const stateText = cut(state.text, Math.min(width, Math.max(least, width - others)))
  let row = painted({ ...state, text: stateText })
  let used = displayWidth(stateText)
  for (const cell of cells) {
    const more = GAP.length + displayWidth(cell.text)
    if (used + more > width) continue
    row += GAP + painted(cell)
    used += more
  }
  return row
}

const LEAST_STATE = 24

function pullWithChecks(node: TreeNode, palette: Palette): Cell {
  const cells = [pullCell(node, palette), checksCell(node, palette)].filter(
    ({ text }) => text !== '',
  )
  return {
    text: cells.map(({ text }) => text).join(' '),
    paint: () => cells.map(painted).join(' '),
  }
}

const optional = (cell: Cell): Cell[] => (cell.text === '' ? [] : [cell])
const painted = ({ text, paint }: Cell): string => paint?.(text) ?? text
