import type { ScrollbackLine } from '../../../../core/spawn/agent-forks.ts'
import type { WaitStatus } from '../../../../core/mail/agent-waits.ts'
import type { Palette } from '../../../text/palette.ts'
import { printableLine } from '../../../text/printable.ts'
import { STATUSES, STATUS_WIDTH } from '../../agents/status-layer.ts'
import { cut, pad } from '../../../text/width.ts'
import { GUTTER } from './capture-rows.ts'
import { clock } from '../clock.ts'
import { wrapText } from './wrap.ts'

/**
 * As the core words it: how one that was waited for stands, and the beginning of its message. What
 * goes on of that is indented.
 */
const STANDING = /^(\S+): (received|running|idle|dead)(?:: (.*))?$/

/**
 * What a person’s wait brought, as it is kept: a head, and below it a line for each agent with its
 * message.
 */
export function waitRows(
  entry: ScrollbackLine,
  { width, palette }: { readonly width: number; readonly palette: Palette },
): string[] {
  const room = width - GUTTER.length
  const rowsOf = (line: string): string[] => {
    const [, name = '', status, message] = STANDING.exec(line) ?? []
    if (status === undefined) return wrapText(line, room)
    const { text, colour } = STATUSES[status as WaitStatus]
    const head = palette[colour](cut(`${pad(text, STATUS_WIDTH)}  ${printableLine(name)}`, room))
    return message === undefined
      ? [head]
      : [head, ...wrapText(message, room - 2).map((row) => `  ${row}`)]
  }
  const rows = entry.text.trimEnd().split('\n').flatMap(rowsOf)
  return [
    palette.dim(cut(`${GUTTER}wait · ${clock(entry.at)}`, width)),
    ...rows.map((row) => `${palette.dim(GUTTER)}${row}`),
  ]
}
