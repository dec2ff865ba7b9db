import { isIn, shownState, STATE_ORDER, type TreeSort } from '../../domain/tree-filters.ts'
import type { TreeNode, TreeQuery } from '../agents/tree-document.ts'

/**
 * The part of the tree that a query is about. Those above a match stay, with `matches: false`, so
 * that it is seen where it is; what a depth leaves out is counted in `hidden`.
 */
export function selectTree(root: TreeNode, query: TreeQuery): TreeNode {
  const { under, sort, depth = Number.POSITIVE_INFINITY } = query
  /** `left`: generations that may still be shown; null above the one that is shown first. */
  const visit = (node: TreeNode, left: number | null): TreeNode | null => {
    const isStart = under === undefined || node.id === under
    const room = left ?? (isStart ? depth : null)
    const matches = room !== null && fits(node, query)
    const below = room === null ? null : room - 1
    const children = node.children.flatMap((child) => {
      const shown = below !== null && below < 0 ? null : visit(child, below)
      return shown === null ? [] : [shown]
    })
    if (!matches && children.length === 0) return null
    const hidden = room === 0 ? sizeBelow(node) : 0
    return { ...node, matches, hidden, children: sorted(children, sort) }
  }
  // The tree has a root, whatever is asked for.
  return visit(root, null) ?? { ...root, matches: false, children: [] }
}

const sizeBelow = ({ children }: TreeNode): number =>
  children.reduce((sum, child) => sum + 1 + sizeBelow(child), 0)

function fits(node: TreeNode, { states, turn, text = '' }: TreeQuery): boolean {
  if (states !== undefined && !states.some((state) => isIn(node, state))) return false
  if (turn !== undefined && node.turn !== turn) return false
  const wanted = text.trim().toLowerCase()
  // All below an agent have its branch in theirs.
  const branch = wanted.includes('.') ? node.branch : (node.branch.split('.').at(-1) ?? '')
  return [node.name, branch, node.task, node.command ?? ''].some((part) =>
    part.toLowerCase().includes(wanted),
  )
}

function sorted(children: TreeNode[], sort: TreeSort | undefined): TreeNode[] {
  switch (sort) {
    case undefined:
      return children
    case 'age':
      return children.toSorted((one, other) => one.age_seconds - other.age_seconds)
    case 'name':
      return children.toSorted((one, other) => (one.name < other.name ? -1 : 1))
    case 'state': {
      const rank = (node: TreeNode): number => STATE_ORDER.indexOf(shownState(node))
      return children.toSorted((one, other) => rank(one) - rank(other))
    }
  }
}
