import type { TreeNode } from '../../../core/agents/tree-document.ts'
import { sharesBranch } from '../../../domain/agent-kinds.ts'
import { hasEnded, shownState } from '../../../domain/tree-filters.ts'
import { printableLine } from '../printable.ts'

/** One line of the tree. */
export interface Row {
  readonly node: TreeNode
  /** `│  ├─ ` and so on. */
  readonly guides: string
  readonly parentBranch: string | null
  /** It stands for so many below it as well, all of them over and merged. */
  readonly folded: number
}

/**
 * Parents before children, with the lines that connect them. `fold`: what is finished takes one line
 * for all that is below it.
 */
export function rowsOf(root: TreeNode, { fold }: { fold: boolean }): Row[] {
  const rows: Row[] = []
  const visit = (
    node: TreeNode,
    before: string,
    connector: string,
    parentBranch: string | null,
  ): void => {
    const folded = fold && parentBranch !== null && isFinished(node) ? sizeBelow(node) : 0
    rows.push({ node, guides: before + connector, parentBranch, folded })
    if (folded > 0) return
    const below = before + (connector === '' ? '' : connector === '└─ ' ? '   ' : '│  ')
    for (const [index, child] of node.children.entries())
      visit(child, below, index === node.children.length - 1 ? '└─ ' : '├─ ', node.branch)
  }
  visit(root, '', '', null)
  return rows
}

export const nodesOf = (node: TreeNode): TreeNode[] => [node, ...node.children.flatMap(nodesOf)]

const sizeBelow = (node: TreeNode): number => nodesOf(node).length - 1

/** It and all below it are over, what they made is merged, and nobody has anything to do. */
const isFinished = (node: TreeNode): boolean => isMerged(node) && node.children.every(isOver)

const isOver = (node: TreeNode): boolean =>
  (isMerged(node) || (sharesBranch(node) && hasSucceeded(node))) && node.children.every(isOver)

const isMerged = (node: TreeNode): boolean =>
  isQuiet(node) &&
  (shownState(node) === 'merged' ||
    (hasEnded(node) && node.state !== 'failed' && node.pr?.state === 'merged'))

/** A fork, session or process, which merges nothing. */
const hasSucceeded = (node: TreeNode): boolean =>
  isQuiet(node) && (shownState(node) === 'done' || (hasEnded(node) && node.state !== 'failed'))

const isQuiet = ({ turn, undelivered, undecided, open_questions: questions }: TreeNode): boolean =>
  turn === null && undelivered === 0 && undecided === 0 && questions === 0

/**
 * What an agent is called in its row: the shortest address that means it, in brackets where its
 * branch is its parent’s, with its branch where that is another name.
 */
export function labelOf({ node, parentBranch, folded }: Row): string {
  const branch = printableLine(node.branch)
  const short = printableLine(node.short)
  if (parentBranch === null) return branch
  if (folded > 0) return `✓ ${short} and ${folded} below: merged`
  const hidden = node.hidden > 0 ? ` +${node.hidden} below` : ''
  if (node.branch === parentBranch || sharesBranch(node)) return `(${short})${hidden}`
  const isNamedSo = branch.split('.').at(-1) === printableLine(node.name)
  return `${short}${isNamedSo ? '' : ` (${branch})`}${hidden}`
}
