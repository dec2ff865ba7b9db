import { cut } from '../../../text/width.ts'
import type { TreeNode } from '../../../../core/agents/tree-document.ts'
import type { Palette } from '../../../text/palette.ts'
import { printableLine } from '../../../text/printable.ts'
import { clock } from '../clock.ts'
import { hasEnded } from '../rotation.ts'

/**
 * How an agent ended and when, as the last row of its scrollback: `✗ killed by the human · 12:03`;
 * null while it lives. `now`: when the node was read.
 */
export function endRow(
  node: TreeNode,
  { now, width, palette }: { now: number; width: number; palette: Palette },
): string | null {
  if (!hasEnded(node)) return null
  const at = clock(now - node.state_age_seconds * 1000)
  const tail = ` · ${at}`
  const exit = node.exit_code === null ? '' : `exit ${node.exit_code}`
  const reason = printableLine(node.state_reason ?? '') || (node.command === null ? '' : exit)
  const words =
    node.state === 'killed'
      ? reason || 'killed'
      : reason === ''
        ? node.state
        : `${node.state}: ${reason}`
  const sign = node.state === 'completed' ? '✓' : '✗'
  const paint = node.state === 'completed' ? palette.good : palette.bad
  return paint(cut(`${cut(`${sign} ${words}`, Math.max(1, width - tail.length))}${tail}`, width))
}
