import type { ToolResult } from '../../../tools/types.ts'
import { warningLines } from '../../text/marks.ts'
import type { Palette } from '../../text/palette.ts'
import { printableLine } from '../../text/printable.ts'

const GOING = {
  queued: 'queued',
  auto_merge: 'set to auto-merge',
  landing: 'landing',
  merged: 'landing',
}

/** What came of a merge that was asked for. */
export const mergedLines = (
  merged: ToolResult<'merge_pr'>,
  number: number,
  palette: Palette,
): string[] => [
  merged.sha === null
    ? `${palette.attention('●')} #${number} is ${GOING[merged.state]}${merged.position === undefined ? '' : ` (position ${merged.position})`}`
    : `${palette.good('✓')} Merged #${number} as ${merged.sha.slice(0, 10)}`,
  ...(merged.local_synced || merged.sha === null
    ? []
    : warningLines(
        [`Your worktree does not have it yet: ${merged.pull_error ?? 'unknown reason'}`],
        palette,
      )),
  ...(merged.retargeted.length > 0
    ? [`  retargeted: ${merged.retargeted.map((other) => `#${other}`).join(', ')}`]
    : []),
  ...(merged.siblings_behind.length > 0
    ? [`  now behind: ${merged.siblings_behind.map(printableLine).join(', ')}`]
    : []),
  ...(merged.next === '' ? [] : [palette.dim(`  ${printableLine(merged.next)}`)]),
]
