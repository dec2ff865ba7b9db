import type {
  ChangedNode,
  TreeChanges,
  TreeNode,
  TreeView,
} from '../../../src/core/agents/tree-document.ts'

/** A node as it was at some time, with those below it. */
export interface LiveNode extends TreeNode {
  readonly children: LiveNode[]
  /** When its ages were so. Milliseconds since the epoch. */
  readonly at: number
}

/** What is known of the tree: each part is the same object as long as it is the same. */
export interface TreeState {
  readonly revision: string
  readonly tree: LiveTreeView
  readonly byId: ReadonlyMap<string, LiveNode>
  /** What agents are called, by id. */
  readonly shorts: ReadonlyMap<string, string>
}

export interface LiveTreeView extends TreeView {
  readonly root: LiveNode
}

/** `before` with what changed since; null where a node is missing that others hang on. */
export function withChanges(before: TreeState | null, changes: TreeChanges): TreeState | null {
  const inPlace = before === null || changes.complete ? undefined : changedInPlace(before, changes)
  return inPlace ?? rebuilt(before, changes)
}

/**
 * Where nobody came, went or moved, which is nearly always: only what changed is made anew, and what
 * it hangs on.
 */
function changedInPlace(before: TreeState, changes: TreeChanges): TreeState | undefined {
  if (changes.removed.length > 0) return undefined
  const byId = new Map(before.byId)
  const shorts = changes.nodes.every(({ id, short }) => before.shorts.get(id) === short)
  const dirty = new Map<string, Map<string, LiveNode>>()
  const replace = (document: ChangedNode, children: LiveNode[]) => {
    const node = live(document, children)
    byId.set(node.id, node)
    if (document.under === null) return
    const siblings = dirty.get(document.under) ?? new Map<string, LiveNode>()
    dirty.set(document.under, siblings.set(node.id, node))
  }
  for (const document of changes.nodes) {
    const earlier = byId.get(document.id)
    const was = earlier === undefined ? undefined : documentOf.get(earlier)
    if (earlier === undefined || was?.under !== document.under || was.order !== document.order)
      return undefined
    replace(document, earlier.children)
  }
  // Upwards, each once those below it are as they will be.
  while (dirty.size > 0) {
    const deepest = [...dirty.keys()].reduce((one, other) =>
      (byId.get(other)?.depth ?? 0) > (byId.get(one)?.depth ?? 0) ? other : one,
    )
    const changed = dirty.get(deepest)
    dirty.delete(deepest)
    const parent = byId.get(deepest)
    const document = parent === undefined ? undefined : documentOf.get(parent)
    if (parent === undefined || document === undefined || changed === undefined) return undefined
    replace(
      document,
      parent.children.map((child) => changed.get(child.id) ?? child),
    )
  }
  const root = byId.get(before.tree.root.id)
  if (root === undefined) return undefined
  return {
    revision: changes.revision,
    tree: treeOf(changes, root),
    byId,
    shorts: shorts ? before.shorts : shortsOf(byId, before.shorts),
  }
}

const treeOf = (
  { repository, counts, inbox, forge, unfinished }: TreeChanges,
  root: LiveNode,
): LiveTreeView => ({ repository, root, counts, inbox, forge, unfinished })

function rebuilt(before: TreeState | null, changes: TreeChanges): TreeState | null {
  const documents = new Map<string, ChangedNode>()
  if (!changes.complete && before !== null)
    for (const node of before.byId.values()) documents.set(node.id, documentOf.get(node) as never)
  for (const node of changes.nodes) documents.set(node.id, node)
  for (const id of changes.removed) documents.delete(id)

  const below = Map.groupBy(documents.values(), ({ under }) => under)
  const byId = new Map<string, LiveNode>()
  const build = (document: ChangedNode): LiveNode => {
    const children = (below.get(document.id) ?? []).toSorted((a, b) => a.order - b.order).map(build)
    const earlier = before?.byId.get(document.id)
    const node =
      earlier !== undefined &&
      documentOf.get(earlier) === document &&
      isSame(earlier.children, children)
        ? earlier
        : live(document, children)
    byId.set(node.id, node)
    return node
  }
  const [root] = below.get(null) ?? []
  if (root === undefined) return null
  const built = build(root)
  if (byId.size !== documents.size) return null
  return {
    revision: changes.revision,
    tree: treeOf(changes, built),
    byId,
    shorts: shortsOf(byId, before?.shorts),
  }
}

/** The same object as long as nobody is called otherwise: rows are drawn with it. */
function shortsOf(
  byId: ReadonlyMap<string, LiveNode>,
  before: ReadonlyMap<string, string> | undefined,
): ReadonlyMap<string, string> {
  const isSame =
    before?.size === byId.size && [...byId].every(([id, { short }]) => before.get(id) === short)
  return isSame ? before : new Map([...byId].map(([id, { short }]) => [id, short]))
}

/** What a node was made of. */
const documentOf = new WeakMap<LiveNode, ChangedNode>()

function live(document: ChangedNode, children: LiveNode[]): LiveNode {
  const { under: _under, order: _order, ...rest } = document
  const node: LiveNode = { ...rest, children, matches: true, hidden: 0 }
  documentOf.set(node, document)
  return node
}

const isSame = (one: readonly LiveNode[], other: readonly LiveNode[]): boolean =>
  one.length === other.length && one.every((node, index) => node === other[index])
