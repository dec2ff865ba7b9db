import { isLasting } from '../../../../src/domain/lifecycle.ts'
import { hasEnded } from '../../../../src/domain/tree-filters.ts'
import type { TreeNode } from '../../live/tree.ts'

type Standing = Pick<TreeNode, 'kind' | 'state' | 'pane' | 'parent_id'>

/** Its program is gone, though its terminal may still be there with what it wrote last. */
export const isOver = (node: Standing): boolean => node.pane === null || hasEnded(node)

/** What can be done about an agent as it is now. */
export const actionsOf = (
  node: Standing,
): {
  readonly message: boolean
  readonly interrupt: boolean
  /** Its program can be launched again. */
  readonly resume: boolean
  readonly kill: boolean
} => ({
  message: !hasEnded(node),
  interrupt: node.state === 'running' && node.kind !== 'process',
  resume:
    isOver(node) && isLasting(node) && node.state !== 'completed' && node.state !== 'spawning',
  kill: !hasEnded(node) && node.parent_id !== null,
})
