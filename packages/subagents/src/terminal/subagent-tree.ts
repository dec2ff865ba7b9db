import type { SubagentEvent } from '../subagent-event.ts'
import type { Palette } from './palette.ts'
import { shortDuration } from './duration.ts'
import { printableLine } from './printable.ts'
import { plural } from './plural.ts'
import { FRAMES } from './spinner.ts'
import { cut, displayWidth } from './width.ts'

/**
 * Subagents and what they do, as a display needs to know it: folded from what is reported of them,
 * by a daemon’s call or by the callbacks of the library, and drawn as a tree. Both are pure.
 */
export interface SubagentNode {
  readonly id: string
  readonly parent: string | null
  readonly description: string
  /** Milliseconds, by the clock that `now` is of. */
  readonly startedAt: number
  readonly toolCalls: number
  /** The last few, oldest first. */
  readonly recent: readonly ToolLine[]
  /** What it waits for, where a person has to decide. */
  readonly waits: string | null
  /** Null while it runs. */
  readonly end: {
    readonly at: number
    readonly success: boolean
    readonly turns: number | null
    readonly reason: string | null
  } | null
}
export interface ToolLine {
  readonly tool: string
  readonly detail: string
  readonly state: 'running' | 'done' | 'failed'
}
/** In the order in which they began. */
export type SubagentTree = ReadonlyMap<string, SubagentNode>

export const NO_SUBAGENTS: SubagentTree = new Map()

/** Calls shown below a subagent that runs. */
export const RECENT = 3
/** Calls kept: one of several at the same time may end long after it began. */
const KEPT = 16

/** The tree after this; what is reported of an unknown subagent changes nothing. */
export function foldSubagents(tree: SubagentTree, event: SubagentEvent): SubagentTree {
  const node = tree.get(event.id)
  const changed = next(node, event)
  return changed === undefined ? tree : new Map(tree).set(event.id, changed)
}

function next(node: SubagentNode | undefined, event: SubagentEvent): SubagentNode | undefined {
  switch (event.kind) {
    case 'started': {
      const { id, parent, description, at } = event
      return {
        id,
        parent,
        description,
        startedAt: at,
        toolCalls: 0,
        recent: [],
        waits: null,
        end: null,
      }
    }
    case 'tool': {
      if (node === undefined || node.end !== null) return undefined
      const { tool, detail, phase, status } = event
      if (phase === 'started') {
        return {
          ...node,
          toolCalls: node.toolCalls + 1,
          recent: [...node.recent, { tool, detail, state: 'running' as const }].slice(-KEPT),
        }
      }
      const ended = indexOfEnded(node.recent, tool, detail)
      return {
        ...node,
        recent: node.recent.map((line, index) =>
          index === ended ? { ...line, state: status === 'failed' ? 'failed' : 'done' } : line,
        ),
      }
    }
    case 'waiting':
      return node === undefined || node.end !== null ? undefined : { ...node, waits: event.reason }
    case 'ended': {
      if (node === undefined || node.end !== null) return undefined
      const { at, success, turns, reason } = event
      return { ...node, end: { at, success, turns, reason } }
    }
  }
}

/** Of calls that look alike the one that began first. */
function indexOfEnded(lines: readonly ToolLine[], tool: string, detail: string): number {
  const exact = lines.findIndex(
    (line) => line.state === 'running' && line.tool === tool && line.detail === detail,
  )
  return exact >= 0
    ? exact
    : lines.findIndex((line) => line.state === 'running' && line.tool === tool)
}

export interface SubagentTreeOptions {
  readonly now: number
  /** Columns; no row is wider. */
  readonly width: number
  readonly palette: Palette
  /** Of the spinner. */
  readonly frame: number
  /**
   * At most so many rows: tool calls are left out first, then the subagents that began last, which
   * are counted.
   */
  readonly height?: number
}

/**
 * A row per subagent, the last calls of those that run below them, and those that they wait for
 * below these, further in.
 */
export function subagentRows(tree: SubagentTree, options: SubagentTreeOptions): string[] {
  const { height = Infinity, width, palette } = options
  for (let calls = RECENT; ; calls--) {
    const rows = rowsBelow(tree, null, 0, calls, options)
    if (rows.length <= height) return rows
    if (calls > 0) continue
    const shown = Math.max(0, height - 1)
    return [...rows.slice(0, shown), palette.dim(cut(`… ${rows.length - shown} more`, width))]
  }
}

function rowsBelow(
  tree: SubagentTree,
  parent: string | null,
  depth: number,
  calls: number,
  options: SubagentTreeOptions,
): string[] {
  const { width } = options
  // On a narrow terminal the words matter more than how deep they are.
  const indent = ' '.repeat(Math.min(depth * 2, Math.floor(width / 4)))
  return [...tree.values()]
    .filter((node) =>
      parent === null ? node.parent === null || !tree.has(node.parent) : node.parent === parent,
    )
    .flatMap((node) => [
      headRow(node, indent, options),
      ...(node.end === null && node.waits !== null ? [waitRow(node.waits, indent, options)] : []),
      ...(node.end === null && calls > 0
        ? node.recent.slice(-calls).map((line) => toolRow(line, indent, options))
        : []),
      ...rowsBelow(tree, node.id, depth + 1, calls, options),
    ])
}

/** Of a description at least so much is shown before numbers are left out for it. */
const DESCRIPTION_KEPT = 12

function headRow(
  node: SubagentNode,
  indent: string,
  { now, width, palette, frame }: SubagentTreeOptions,
): string {
  const { end } = node
  const [mark, colour] =
    end === null
      ? ([FRAMES[frame % FRAMES.length] ?? '', 'active'] as const)
      : end.success
        ? (['✓', 'good'] as const)
        : (['✗', 'bad'] as const)
  const elapsed = shortDuration(((end?.at ?? now) - node.startedAt) / 1000)
  const why =
    end !== null && !end.success && end.reason !== null ? `: ${printableLine(end.reason)}` : ''
  const description = `${printableLine(node.description)}${why}`
  const numbers = [
    elapsed,
    plural(node.toolCalls, 'tool call'),
    ...(end?.turns == null ? [] : [plural(end.turns, 'turn')]),
  ]
  const room = (): number => width - indent.length - 2 - displayWidth(tail(numbers))
  while (numbers.length > 0 && room() < Math.min(displayWidth(description), DESCRIPTION_KEPT))
    numbers.pop()
  const words = cut(description, room())
  const plain = `${indent}${mark} ${words}${tail(numbers)}`
  if (displayWidth(plain) > width) return cut(plain, width)
  return `${indent}${palette[colour](mark)} ${end === null ? palette.bold(words) : words}${palette.dim(tail(numbers))}`
}

const tail = (numbers: readonly string[]): string =>
  numbers.map((number) => ` · ${number}`).join('')

const waitRow = (waits: string, indent: string, { width, palette }: SubagentTreeOptions): string =>
  palette.attention(cut(`${indent}  ◐ waits for you: ${printableLine(waits)}`, width))

export function toolRow(
  { tool, detail, state }: ToolLine,
  indent: string,
  { width, palette }: Pick<SubagentTreeOptions, 'width' | 'palette'>,
): string {
  const mark = state === 'failed' ? '✗' : '⎿'
  // Of one that has a subagent, the row of that says what it does.
  const words = printableLine(
    detail === '' || tool.includes(detail) || /subagent_(spawn|delegate)/.test(tool)
      ? tool
      : `${tool} ${detail}`,
  )
  const row = cut(`${indent}  ${mark} ${words}`, width)
  return state === 'failed' ? palette.bad(row) : state === 'done' ? palette.dim(row) : row
}

/**
 * The same in words, for where nothing is redrawn: their indentation shows how deep a subagent is.
 */
export const progressLine = (message: string): string =>
  `${/^ */.exec(message)?.[0] ?? ''}${printableLine(message)}`
