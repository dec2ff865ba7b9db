import type { RadarPair } from '../../../../core/radar/radar-use-cases.ts'
import { shortDuration } from '../../../text/duration.ts'
import type { Palette } from '../../../text/palette.ts'
import { printableLine } from '../../../text/printable.ts'
import { plural } from '../../../text/quantity.ts'
import { radarTables } from '../../../text/radar/radar-view.ts'
import { cut, displayWidth } from '../../../text/width.ts'
import type { Frame, FrameOptions } from '../frame-options.ts'
import { askRows, noticeRows } from '../rows/ask-rows.ts'
import { window } from '../rows/compose-scrollback.ts'
import { keyBar } from '../rows/key-bar.ts'
import { wrapLine } from '../rows/wrap.ts'
import type { ConsoleState } from '../state.ts'
import type { RadarOverlay } from './radar.ts'

/** Of the list below the matrix, at least. */
const LEAST_LIST = 4

/** Who × who above a list of all pairs, the selected one marked in both; or one in detail. */
export function radarFrame(
  state: ConsoleState,
  overlay: RadarOverlay,
  bar: readonly string[],
  options: FrameOptions,
): Frame {
  const { columns: width, rows: height, palette } = options
  const keys = keyBar(
    overlay.detail === null
      ? [
          ['Enter', 'both sides'],
          ['↑ ↓', 'select'],
          ['R', 'look again'],
          ['Escape', 'back'],
          ['?', 'keys'],
        ]
      : [
          ['Escape', 'all pairs'],
          ['↑ ↓ PgUp PgDn', 'scroll'],
        ],
    width,
    palette,
  )
  const asked = state.ask === null ? null : askRows(state, state.ask, options)
  const bottom = [...noticeRows(state, options), ...(asked?.rows ?? [keys])]
  const room = height - bar.length - bottom.length
  const cursor =
    asked?.cursor == null
      ? null
      : { x: asked.cursor.x, y: height - asked.rows.length + asked.cursor.y }
  if (overlay.detail !== null) {
    const rows = overlay.detail.rows.flatMap((row) =>
      displayWidth(row) <= width ? [row] : wrapLine(row, width),
    )
    const seen = window(rows, room, overlay.detail.scroll)
    return {
      rows: [...bar, ...seen.rows, ...bottom],
      cursor,
      scrolling: { total: rows.length, height: room, scroll: seen.scroll },
    }
  }
  const shown = pairRows(overlay, room, options)
  return {
    rows: [...bar, ...shown, ...Array.from({ length: room - shown.length }, () => ''), ...bottom],
    cursor,
    scrolling: { total: shown.length, height: room, scroll: null },
  }
}

/** At most `room` rows. */
function pairRows(
  { pairs, inTree, selected, at }: RadarOverlay,
  room: number,
  { columns: width, palette, now }: FrameOptions,
): string[] {
  if (pairs === null) return [palette.dim(cut('Looking at all worktrees …', width))]
  if (pairs.length === 0)
    return [palette.dim(cut('No agent has work of its own to compare.', width))]
  const conflicts = pairs.filter(({ status }) => status === 'conflict').length
  const title = `${plural(pairs.length, 'pair')}, ${conflicts === 0 ? 'none conflicts' : `${conflicts} would conflict`} · ${shortDuration((now - at) / 1000)} ago`
  const selectedPair = pairs[selected]
  const tables = radarTables(inTree, { width, palette, selected: selectedPair })
  // All or nothing: the list has it all as well.
  const hasRoom =
    tables.every((row) => displayWidth(row) <= width) &&
    tables.length + Math.min(LEAST_LIST, pairs.length) + 2 <= room
  const above = hasRoom ? tables : []
  const left = Math.max(1, room - 2 - above.length)
  const first = Math.max(0, Math.min(selected - Math.floor(left / 2), pairs.length - left))
  return [
    palette.dim(cut(title, width)),
    ...above,
    '',
    ...pairs
      .slice(first, first + left)
      .map((pair, index) => pairRow(pair, first + index === selected, width, palette)),
  ].slice(0, room)
}

function pairRow(pair: RadarPair, isSelected: boolean, width: number, palette: Palette): string {
  const names = `${printableLine(pair.a)} × ${printableLine(pair.b)}`
  const files = pair.files.length === 0 ? '' : `: ${pair.files.map(printableLine).join(', ')}`
  const [sign, paint] = {
    conflict: ['⚠', palette.attention] as const,
    unknown: ['?', palette.dim] as const,
    clean: ['✓', palette.good] as const,
  }[pair.status]
  const text = cut(`${names}${files}`, width - 4)
  return `${isSelected ? palette.active('▶ ') : '  '}${paint(sign)} ${isSelected ? palette.bold(text) : text}`
}
