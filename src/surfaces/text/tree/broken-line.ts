import type { TreeNode } from '../../../core/agents/tree-document.ts'
import { hasFailed, isRed } from '../../../domain/tree-filters.ts'
import type { Palette } from '../palette.ts'
import { printableLine } from '../printable.ts'
import { cut } from '../width.ts'

/** Who failed and whose checks are red, below the table; nothing where nobody did. */
export function brokenLine(
  nodes: readonly TreeNode[],
  { width, palette }: { width: number; palette: Palette },
): string[] {
  const names = (some: readonly TreeNode[]): string =>
    some.map(({ short }) => printableLine(short)).join(', ')
  const failed = nodes.filter(hasFailed)
  const red = nodes.filter(isRed)
  const parts = [
    ...(failed.length > 0 ? [`${failed.length} failed: ${names(failed)}`] : []),
    ...(red.length > 0 ? [`${red.length} red: ${names(red)}`] : []),
  ]
  return parts.length === 0 ? [] : ['', palette.bad(cut(`✗ ${parts.join(' · ')}`, width))]
}
