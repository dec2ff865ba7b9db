import type { Palette } from '../../../text/palette.ts'
import { cut, displayWidth } from '../../../text/width.ts'
import { visible, type Line } from '../input/line-editor.ts'

/** The line that is written, and the column of the cursor in it. */
export function inputRows(
  line: Line,
  sign: string,
  width: number,
  palette: Palette,
): { row: string; x: number } {
  const { text, cursor } = visible(line, width - displayWidth(sign))
  return { row: `${palette.active(sign)}${text}`, x: displayWidth(sign) + cursor }
}

/** A line across, with words at its ends. */
export function rule(left: string, right: string, width: number, palette: Palette): string {
  const after = right === '' ? '' : ` ${right} ─`
  const before = left === '' ? '' : `─ ${cut(left, Math.max(0, width - displayWidth(after) - 4))} `
  return palette.dim(
    `${before}${'─'.repeat(Math.max(0, width - displayWidth(before) - displayWidth(after)))}${after}`,
  )
}
