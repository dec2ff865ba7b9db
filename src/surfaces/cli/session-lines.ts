import type { TreeNode } from '../../core/core.ts'
import { shortDuration } from './duration.ts'
import { hasTerminal } from './no-terminal.ts'
import type { Palette } from './palette.ts'
import { printableLine } from './printable.ts'
import { plural, shortCount } from './quantity.ts'
import { agentState, ranSeconds } from './tree-cells.ts'
import { cut } from './width.ts'

/** A tool call of an agent without a terminal. Milliseconds since the epoch. */
export interface ToolCall {
  readonly tool: string
  readonly detail: string
  readonly from: number
  /** Null while it goes on. */
  readonly to: number | null
  readonly failed: boolean
}

export interface SessionLines {
  readonly width: number
  readonly palette: Palette
  readonly now: number
  /** When the nodes were read; ages are counted on from there. */
  readonly readAt: number
  /** Counts up: turns what turns. */
  readonly frame: number
  /** By agent, oldest first. */
  readonly calls: ReadonlyMap<string, readonly ToolCall[]>
}

/** Of the calls of one agent so many are seen, the newest. */
const CALLS_SHOWN = 3
const TURNING = ['◐', '◓', '◑', '◒']

/**
 * Sessions and processes, each with what it does just now, and below it, set in, those that it made:
 *
 *   ◐ running auth · 12s · 5 calls · 3k tokens
 *     ⎿ ✓ Read src/auth.ts
 *     ⎿ ◓ Search token 2s
 *     ✓ completed callers · 4s · 1 call
 */
export function sessionLines(nodes: readonly TreeNode[], options: SessionLines): string[] {
  return nodes.flatMap((node) => linesOf(node, 0, options))
}

/** Those without a terminal that stand below none other: what a person hasn’t a window for. */
export function headlessTops(root: TreeNode): TreeNode[] {
  return root.children.flatMap((child) => (hasTerminal(child) ? headlessTops(child) : [child]))
}

function linesOf(node: TreeNode, depth: number, options: SessionLines): string[] {
  const { palette, width, now, readAt, frame } = options
  // The calls stand beside it.
  const state = agentState({ ...node, tool_calls: 0 }, palette, frame)
  const passed = Math.max(0, Math.floor((now - readAt) / 1000))
  const facts = [
    shortDuration(ranSeconds(node) + (node.state === 'running' || node.state === 'waiting' ? passed : 0)),
    ...(node.tool_calls > 0 ? [plural(node.tool_calls, 'call')] : []),
    ...(node.tokens > 0 ? [`${shortCount(node.tokens)} tokens`] : []),
  ]
  const indent = '  '.repeat(depth)
  const rest = ` · ${facts.join(' · ')}`
  const name = cut(printableLine(node.name), Math.max(8, width - indent.length - rest.length - 12))
  const room = Math.max(1, width - indent.length - name.length - rest.length - 1)
  const head = `${indent}${state.paint?.(cut(state.text, room)) ?? cut(state.text, room)} ${palette.bold(name)}${palette.dim(rest)}`
  const isLive = node.state === 'running' || node.state === 'waiting' || node.state === 'spawning'
  const calls = isLive ? (options.calls.get(node.id) ?? []).slice(-CALLS_SHOWN).map((call) => callLine(call, `${indent}  `, options)) : []
  return [head, ...calls, ...node.children.flatMap((child) => (hasTerminal(child) ? [] : linesOf(child, depth + 1, options)))]
}

function callLine({ tool, detail, from, to, failed }: ToolCall, indent: string, { palette, width, now, frame }: SessionLines): string {
  const said = printableLine(detail)
  const what = said === '' || said === tool ? printableLine(tool) : `${printableLine(tool)} ${said}`
  const sign = to === null ? (TURNING[frame % TURNING.length] ?? '') : failed ? '✗' : '✓'
  const took = Math.floor(((to ?? now) - from) / 1000)
  const text = cut(`${sign} ${what}${took > 0 ? ` ${shortDuration(took)}` : ''}`, Math.max(1, width - indent.length - 2))
  return `${indent}${palette.dim('⎿')} ${to === null ? palette.active(text) : failed ? palette.bad(text) : palette.dim(text)}`
}
