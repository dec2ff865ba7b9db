import type { TreeNode } from '../../core/agents/tree-document.ts'
import { shortDuration } from './duration.ts'
import { hasTerminal } from './no-terminal.ts'
import type { Palette } from './palette.ts'
import { printableLine } from './printable.ts'
import { plural, shortCount } from './quantity.ts'
import {
  RECENT,
  toolRow,
  type SubagentTree,
} from '../../../packages/subagents/src/terminal/subagent-tree.ts'
import { agentState, ranSeconds } from './tree/tree-cells.ts'
import { cut, displayWidth } from './width.ts'

export interface SessionLines {
  readonly width: number
  readonly palette: Palette
  readonly now: number
  /** When the nodes were read; ages are counted on from there. */
  readonly readAt: number
  /** Counts up: turns what turns. */
  readonly frame: number
  /** What is known of their tool calls. */
  readonly known: SubagentTree
}

/**
 * Sessions and processes, each with what it does just now, and below it, set in, those that it
 * made:
 *
 *   ◐ running auth · 12s · 5 calls · 3k tokens
 *     ⎿ Read src/auth.ts
 *     ⎿ Search token
 *     ✓ completed callers · 4s · 1 call
 */
export function sessionLines(nodes: readonly TreeNode[], options: SessionLines): string[] {
  return nodes.flatMap((node) => linesOf(node, 0, options))
}

/** Those without a terminal that stand below none other: what a person hasn’t a window for. */
export function headlessTops(root: TreeNode): TreeNode[] {
  return root.children.flatMap((child) => (hasTerminal(child) ? headlessTops(child) : [child]))
}

const STATE_KEPT = 10
const NAME_KEPT = 8
const tail = (facts: readonly string[]): string => facts.map((fact) => ` · ${fact}`).join('')

function linesOf(node: TreeNode, depth: number, options: SessionLines): string[] {
  const { palette, width, now, readAt, frame } = options
  // The calls stand beside it.
  const turn = node.turn === 'human' ? 'you' : null
  const state = agentState({ ...node, tool_calls: 0 }, palette, { frame, turn })
  const passed = Math.max(0, Math.floor((now - readAt) / 1000))
  const facts = [
    shortDuration(
      ranSeconds(node) + (node.state === 'running' || node.state === 'waiting' ? passed : 0),
    ),
    ...(node.tool_calls > 0 ? [plural(node.tool_calls, 'call')] : []),
    ...(node.tokens > 0 ? [`${shortCount(node.tokens)} tokens`] : []),
  ]
  // On a narrow terminal the words matter more than how deep it is.
  const indent = ' '.repeat(Math.min(depth * 2, Math.floor(width / 4)))
  const room = (): number => width - indent.length - displayWidth(tail(facts)) - 1
  while (facts.length > 0 && room() < STATE_KEPT + NAME_KEPT) facts.pop()
  const name = cut(printableLine(node.name), Math.max(NAME_KEPT, room() - displayWidth(state.text)))
  const words = cut(state.text, Math.max(1, room() - displayWidth(name)))
  const head = `${indent}${state.paint?.(words) ?? words} ${palette.bold(name)}${palette.dim(tail(facts))}`
  const isLive = node.state === 'running' || node.state === 'waiting' || node.state === 'spawning'
  const calls = isLive
    ? (options.known.get(node.id)?.recent ?? [])
        .slice(-RECENT)
        .map((line) => toolRow(line, indent, options))
    : []
  return [
    head,
    ...calls,
    ...node.children.flatMap((child) =>
      hasTerminal(child) ? [] : linesOf(child, depth + 1, options),
    ),
  ]
}
