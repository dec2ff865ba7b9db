import { sharesBranch } from '../../agent-kinds.ts'
import type { TreeNode } from '../../core/core.ts'

/** Ends by itself when it is done, and is not given more work. */
export const isOneTask = (node: Pick<TreeNode, 'kind'>): boolean => node.kind !== 'fork' && sharesBranch(node)

export const hasTerminal = ({ runtime }: Pick<TreeNode, 'runtime'>): boolean => runtime === 'pane'
