import { sharesBranch } from '../../domain/agent-kinds.ts'
import type { TreeNode } from '../../core/agents/tree-document.ts'
import { HEADLESS_PANE } from '../../domain/panes/headless-pane.ts'
import { printableLine } from './printable.ts'

/** Ends by itself when it is done, and is not given more work. */
export const isOneTask = (node: Pick<TreeNode, 'kind'>): boolean =>
  node.kind !== 'fork' && sharesBranch(node)

export const hasTerminal = ({ runtime }: Pick<TreeNode, 'runtime'>): boolean => runtime === 'pane'

export const hasPane = (pane: string): boolean => !pane.startsWith(HEADLESS_PANE)

/** Of an agent that was launched: its pane, or that it has none to look for. */
export const whereItRuns = (pane: string): string =>
  hasPane(pane) ? `in pane ${printableLine(pane)}` : 'without a terminal'
