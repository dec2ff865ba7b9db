import type { TreeNode } from '../../../core/agents/tree-document.ts'
import type { ConsoleState } from './state.ts'

/** An agent for which the person waits here is shown to wait, whatever its program does. */
export function asWaiting(node: TreeNode, waits: ConsoleState['waits']): TreeNode {
  const own = waits[node.id]
  if (own === undefined) return node
  return {
    ...node,
    state: 'waiting',
    state_reason: 'wait',
    waiting_for: own.agents.length === 0 ? null : [...(own.agents as TreeNode['id'][])],
  }
}

/** The same for all of a tree. */
export function withOwnWaits(root: TreeNode, waits: ConsoleState['waits']): TreeNode {
  if (Object.keys(waits).length === 0) return root
  const node = asWaiting(root, waits)
  return { ...node, children: node.children.map((child) => withOwnWaits(child, waits)) }
}
