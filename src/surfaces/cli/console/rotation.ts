import type { TreeNode } from '../../../core/agents/tree-document.ts'
import { meantBy, shortAddresses } from '../../../domain/addresses.ts'
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
 * The agent that a person’s word means. As every command reads it (`meantBy`), in small letters too;
 * failing that, the beginning or a part of its name or branch, where only one fits. The candidates
 * are addresses.
 */
export function findByName(rotation: readonly TreeNode[], text: string): Found {
  const wanted = text.trim().toLowerCase()
  if (wanted === '') return { kind: 'none', candidates: [] }
  const exactly = [
    meantBy(rotation, text),
    meantBy(rotation, wanted),
    rotation.filter((node) => startsWith(node, wanted)),
    rotation.filter((node) => contains(node, wanted)),
  ].find((fitting) => fitting.length > 0)
  const addresses = shortAddresses(rotation)
  if (exactly === undefined) {
    const nearest = nearestKey(wanted, [...addresses.values()])
    return { kind: 'none', candidates: nearest === undefined ? [] : [nearest] }
  }
  const [only] = exactly
  if (only !== undefined && exactly.length === 1) return { kind: 'found', node: only }
  return { kind: 'ambiguous', candidates: exactly.map((node) => addresses.get(node.id) ?? node.id) }
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
