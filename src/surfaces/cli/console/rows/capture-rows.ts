import { cut } from '../../../text/width.ts'
import type { ScrollbackLine } from '../../../../core/spawn/agent-forks.ts'
import type { Palette } from '../../../text/palette.ts'
import { printableLine } from '../../../text/printable.ts'
import { clock } from '../clock.ts'
import { wrapText } from './wrap.ts'

/**
 * Marks what is not of the agent’s terminal but stands beside it: captures, waits, what the console
 * itself says.
 */
export const GUTTER = '┊ '

/** An entry of a capture as rows: how it began, its lines, how it ended. */
export function captureRows(
  entry: ScrollbackLine,
  { width, palette }: { readonly width: number; readonly palette: Palette },
): string[] {
  const marked = (words: string, paint: (text: string) => string): string[] => [
    paint(cut(`${GUTTER}${words}`, width)),
  ]
  switch (entry.kind) {
    case 'capture-begin':
      return marked(`capture, not sent · ${clock(entry.at)}`, palette.dim)
    case 'capture-cancel':
      return marked('capture ended without a child', palette.dim)
    case 'capture-fork': {
      const [name = ''] = printableLine(entry.text).split(' ')
      return marked(`→ became ${name} · ${clock(entry.at)}`, palette.good)
    }
    default:
      return wrapText(entry.text, width - GUTTER.length).map(
        (row) => `${palette.special(GUTTER)}${row}`,
      )
  }
}
