import type { LiveNode } from '../../live/tree.ts'
import {
  isIn,
  STATE_ORDER,
  shownState,
  type StateFilter,
} from '../../../../src/domain/tree-filters.ts'

/** What of the tree is looked at. */
export interface Wish {
  readonly text: string
  readonly state: StateFilter | 'needs_me' | 'all'
  readonly sort: 'age' | 'name' | 'state'
  /** Ids whose children are not shown. */
  readonly folded: ReadonlySet<string>
}

/** One line of the tree. */
export interface TreeLine {
  readonly node: LiveNode
  readonly depth: number
  /** False where it stands only for what is below it. */
  readonly matches: boolean
  readonly isFolded: boolean
  /** Agents below it that a fold hides. */
  readonly hidden: number
}

/** The lines of the tree, parents before children; those above a match stay, as in the terminal. */
export function flatten(root: LiveNode, wish: Wish): TreeLine[] {
  const text = wish.text.trim().toLowerCase()
  const isWanted = (node: LiveNode): boolean =>
    (text === '' || wordsOf(node).includes(text)) && isInState(node, wish.state)
  const isPlain = text === '' && wish.state === 'all'
  const lines: TreeLine[] = []
  const visit = (node: LiveNode, depth: number): boolean => {
    const at = lines.length
    const matches = isPlain || isWanted(node)
    const isFolded = isPlain && wish.folded.has(node.id) && node.children.length > 0
    lines.push({ node, depth, matches, isFolded, hidden: isFolded ? below(node) : 0 })
    if (isFolded) return true
    let has = matches
    for (const child of inOrder(node.children, wish.sort)) has = visit(child, depth + 1) || has
    if (!has) lines.length = at
    return has
  }
  visit(root, 0)
  return lines
}

const wordsOf = ({ name, branch, task, command }: LiveNode): string =>
  `${name}\n${branch}\n${task}\n${command ?? ''}`.toLowerCase()

const isInState = (node: LiveNode, state: Wish['state']): boolean =>
  state === 'all' || (state === 'needs_me' ? node.turn === 'human' : isIn(node, state))

const below = (node: LiveNode): number =>
  node.children.reduce((sum, child) => sum + 1 + below(child), 0)

function inOrder(nodes: readonly LiveNode[], sort: Wish['sort']): readonly LiveNode[] {
  if (sort === 'age') return nodes
  if (sort === 'name') return nodes.toSorted((a, b) => a.name.localeCompare(b.name))
  const rank = (node: LiveNode): number =>
    node.turn === 'human' ? -1 : STATE_ORDER.indexOf(shownState(node))
  return nodes.toSorted((a, b) => rank(a) - rank(b))
}
