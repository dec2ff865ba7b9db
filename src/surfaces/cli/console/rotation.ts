import type { TreeNode } from '../../../core/agents/tree-document.ts'
import { sharesBranch } from '../../../domain/agent-kinds.ts'
import { nearestKey } from '../../../config/nearest-key.ts'

/** Where a person can go from an agent. */
export type Direction = 'previous' | 'next' | 'parent' | 'child'

/**
 * All agents in the order in which the console walks them: depth first, the dead included until
 * they are reaped.
 */
export function rotationOf(root: TreeNode): TreeNode[] {
  const rotation: TreeNode[] = []
  const left = [root]
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    rotation.push(node)
    left.push(...node.children.toReversed())
  }
  return rotation
}

/**
 * The id next to `id`, around the ends; `id` itself where there is no parent or child. Of an agent
 * that is gone, the first one.
 */
export function neighbour(rotation: readonly TreeNode[], id: string, direction: Direction): string {
  const index = rotation.findIndex((node) => node.id === id)
  const node = rotation[index]
  if (node === undefined) return rotation[0]?.id ?? id
  switch (direction) {
    case 'previous':
      return rotation.at(index - 1)?.id ?? id
    case 'next':
      return rotation[(index + 1) % rotation.length]?.id ?? id
    case 'parent':
      return parentIn(rotation, id)?.id ?? id
    case 'child':
      return node.children[0]?.id ?? id
  }
}

/** From the root down to the agent; empty where it is gone. */
export function pathTo(rotation: readonly TreeNode[], id: string): TreeNode[] {
  const path: TreeNode[] = []
  for (
    let node = rotation.find((one) => one.id === id);
    node !== undefined;
    node = parentIn(rotation, node.id)
  )
    path.unshift(node)
  return path
}

/**
 * Above it as the tree is shown: children of one that was reaped stand under the next above that.
 */
const parentIn = (rotation: readonly TreeNode[], id: string): TreeNode | undefined =>
  rotation.find((node) => node.children.some((child) => child.id === id))

export type Found =
  | { readonly kind: 'found'; readonly node: TreeNode }
  | { readonly kind: 'none' | 'ambiguous'; readonly candidates: readonly string[] }

/**
 * The agent that a person’s word means. As every command reads it: its id, its branch, its name (of
 * several, the one that lives), or the beginning of its id; failing those, the beginning or a part
 * of its name or branch, where only one fits. The candidates are addresses.
 */
export function findByName(rotation: readonly TreeNode[], text: string): Found {
  const wanted = text.trim().toLowerCase()
  if (wanted === '') return { kind: 'none', candidates: [] }
  const exactly = [
    rotation.filter((node) => node.id === wanted),
    rotation.filter((node) => node.branch.toLowerCase() === wanted && !sharesBranch(node)),
    preferLiving(rotation.filter((node) => node.name.toLowerCase() === wanted)),
    preferLiving(
      rotation.filter(
        (node) => node.branch.toLowerCase().endsWith(`.${wanted}`) && !sharesBranch(node),
      ),
    ),
    wanted.length >= 4 ? rotation.filter((node) => node.id.startsWith(wanted)) : [],
    rotation.filter((node) => startsWith(node, wanted)),
    rotation.filter((node) => contains(node, wanted)),
  ].find((fitting) => fitting.length > 0)
  const addresses = addressesOf(rotation)
  if (exactly === undefined) {
    const nearest = nearestKey(wanted, [...addresses.values()])
    return { kind: 'none', candidates: nearest === undefined ? [] : [nearest] }
  }
  const [only] = exactly
  if (only !== undefined && exactly.length === 1) return { kind: 'found', node: only }
  return { kind: 'ambiguous', candidates: exactly.map((node) => addresses.get(node.id) ?? node.id) }
}

const preferLiving = (nodes: readonly TreeNode[]): readonly TreeNode[] => {
  const living = nodes.filter((node) => !hasEnded(node))
  return living.length > 0 ? living : nodes
}

export const hasEnded = ({ state }: TreeNode): boolean =>
  state === 'completed' || state === 'failed' || state === 'killed'

/**
 * By the beginning of its name or of its branch’s last part; by the whole branch only where the
 * word has a dot, as all below an agent have its branch in theirs. `wanted` in small letters.
 */
export const startsWith = (node: TreeNode, wanted: string): boolean =>
  matches(node, wanted, (text) => text.startsWith(wanted))

/** The same by any part. */
export const contains = (node: TreeNode, wanted: string): boolean =>
  matches(node, wanted, (text) => text.includes(wanted))

function matches(node: TreeNode, wanted: string, fits: (text: string) => boolean): boolean {
  if (fits(node.name.toLowerCase())) return true
  if (sharesBranch(node)) return false
  const whole = node.branch.toLowerCase()
  return fits(wanted.includes('.') ? whole : (whole.split('.').at(-1) ?? whole))
}

/** Letters of an id that a person would type, where that is enough. */
const SHORT_ID = 8

/**
 * For each agent by its id the shortest word that means it alone: its name, its branch, or the
 * beginning of its id.
 */
export function addressesOf(rotation: readonly TreeNode[]): Map<string, string> {
  const names = Map.groupBy(rotation, (node) => node.name.toLowerCase())
  const branches = Map.groupBy(
    rotation.filter((node) => !sharesBranch(node)),
    (node) => node.branch.toLowerCase(),
  )
  const isAlone = (node: TreeNode, word: string): boolean =>
    [...(names.get(word.toLowerCase()) ?? []), ...(branches.get(word.toLowerCase()) ?? [])].every(
      (other) => other.id === node.id,
    )
  return new Map(
    rotation.map((node) => {
      if (isAlone(node, node.name)) return [node.id, node.name]
      if (!sharesBranch(node) && isAlone(node, node.branch)) return [node.id, node.branch]
      return [node.id, shortId(rotation, node.id, (word) => isAlone(node, word))]
    }),
  )
}

function shortId(
  rotation: readonly TreeNode[],
  id: string,
  isAlone: (word: string) => boolean,
): string {
  const meansOthers = (word: string): boolean =>
    !isAlone(word) || rotation.some((other) => other.id !== id && other.id.startsWith(word))
  let length = SHORT_ID
  while (length < id.length && meansOthers(id.slice(0, length))) length++
  return id.slice(0, length)
}
