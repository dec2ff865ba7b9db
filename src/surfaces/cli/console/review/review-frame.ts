import type { Palette } from '../../../text/palette.ts'
import { printableLine } from '../../../text/printable.ts'
import { plural } from '../../../text/quantity.ts'
import { cut, displayWidth } from '../../../text/width.ts'
import type { Frame, FrameOptions } from '../frame-options.ts'
import { lineRows, noticeRows } from '../rows/ask-rows.ts'
import { keyBar, type KeyHint } from '../rows/key-bar.ts'
import { wrapText } from '../rows/wrap.ts'
import type { ConsoleState } from '../state.ts'
import { commentRows, diffLineRows, numberWidth } from './diff-rows.ts'
import { commentsAt, type Review } from './review.ts'

/** Draws the diff that is open, with what is to be said of it. */
export function reviewFrame(state: ConsoleState, review: Review, options: FrameOptions): Frame {
  const { columns: width, rows: height, palette } = options
  const bottom = lineRows(state, 0, options) ?? {
    rows: [...noticeRows(state, options), keyBar(keysOf(state, review), width, palette)],
    cursor: null,
  }
  const room = Math.max(1, height - 1 - bottom.rows.length)
  const rows = bodyRows(review, { width, height: room, palette })
  return {
    rows: [
      titleRow(review, width, palette),
      ...rows,
      ...Array.from({ length: room - rows.length }, () => ''),
      ...bottom.rows,
    ],
    cursor:
      bottom.cursor === null
        ? null
        : { x: bottom.cursor.x, y: height - bottom.rows.length + bottom.cursor.y },
    scrolling: { total: review.rows.length, height: room, scroll: review.cursor },
  }
}

function titleRow(review: Review, width: number, palette: Palette): string {
  const row = review.rows[review.cursor]
  const files = review.rows.filter(({ kind }) => kind === 'file').length
  const right = [
    ...(review.comments.length === 0
      ? []
      : [`${plural(review.comments.length, 'comment')} not sent`]),
    ...(review.rows.length === 0 ? [] : [`${review.cursor + 1}/${review.rows.length}`]),
  ].join(' · ')
  const left = cut(
    [
      `#${review.number}`,
      ...(review.rows.length === 0 ? [] : [plural(files, 'file')]),
      ...(row === undefined || row.path === '' ? [] : [printableLine(row.path)]),
    ].join(' · '),
    Math.max(4, width - displayWidth(right) - 2),
  )
  const fill = ' '.repeat(Math.max(1, width - displayWidth(left) - displayWidth(right)))
  return `${palette.bold(left)}${right === '' ? '' : fill}${palette.attention(right)}`
}

interface BodyOptions {
  readonly width: number
  readonly height: number
  readonly palette: Palette
}

/** The rows around the cursor, which stands in the middle where there is something on both sides. */
function bodyRows(review: Review, { width, height, palette }: BodyOptions): string[] {
  if (review.rows.length === 0)
    return wrapText(
      review.trouble ?? (review.head === '' ? 'Reading the diff …' : 'It changes nothing.'),
      width,
    )
      .slice(0, height)
      .map(review.trouble === null ? palette.dim : palette.bad)
  const numbers = numberWidth(review.rows)
  const block = (index: number): string[] => {
    const row = review.rows[index]
    if (row === undefined) return []
    return [
      ...diffLineRows(row, { width, numbers, palette, mark: markOf(review, index, palette) }),
      ...commentRows(review, index, { width, palette }),
    ]
  }
  const shown = block(review.cursor).slice(0, height)
  const above: string[][] = []
  const below: string[][] = []
  let used = shown.length
  let first = review.cursor - 1
  let last = review.cursor + 1
  const add = (to: string[][], index: number): void => {
    const rows = block(index)
    used += rows.length
    to.push(rows)
  }
  const half = Math.floor((height - used) / 2)
  while (first >= 0 && used - shown.length < half) add(above, first--)
  while (last < review.rows.length && used < height) add(below, last++)
  while (first >= 0 && used < height) add(above, first--)
  const before = above.toReversed().flat()
  const rows = [...before, ...shown, ...below.flat()]
  const from = Math.max(0, Math.min(before.length - half, rows.length - height))
  return rows.slice(from, from + height)
}

function markOf({ cursor, anchor }: Review, index: number, palette: Palette): string {
  if (index === cursor) return palette.active('▶ ')
  const isIn =
    anchor !== null && index >= Math.min(anchor, cursor) && index <= Math.max(anchor, cursor)
  return isIn ? palette.active('┃ ') : '  '
}

function keysOf(state: ConsoleState, review: Review): KeyHint[] {
  if (state.quitting)
    return [
      ['Ctrl-C', 'again leaves; agents go on'],
      ['?', 'keys'],
    ]
  return [
    ['c', review.anchor === null ? 'comment' : 'comment on the range'],
    ['v', review.anchor === null ? 'range' : 'end the range'],
    ...(commentsAt(review, review.cursor).length > 0 ? [['u', 'take it back'] as const] : []),
    ['n p', 'hunks'],
    ['N P', 'files'],
    ['s', 'send'],
    ['m', 'merge'],
    ['Escape', 'back'],
    ['?', 'keys'],
  ]
}
