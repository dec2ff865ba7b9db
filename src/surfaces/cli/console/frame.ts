import { renderTree } from '../../text/tree/tree-view.ts'
import { displayWidth } from '../../text/width.ts'
import { createConversationRows } from './rows/conversation-rows.ts'
import { bottomRows, inputRow } from './frame-bottom.ts'
import { noticeRows } from './rows/ask-rows.ts'
import { emptyTerminal } from './overview/preview.ts'
import { createOverviewFrame } from './overview/overview-frame.ts'
import { asWaiting, withOwnWaits } from './own-waits.ts'
import { foldRows } from './fold/fold.ts'
import { radarFrame } from './radar/radar-frame.ts'
import { reviewFrame } from './review/review-frame.ts'
import { window, type Window } from './rows/compose-scrollback.ts'
import { helpRows } from './rows/help-rows.ts'
import { inboxRows, itemsOf } from './rows/inbox-rows.ts'
import { pathTo } from './rotation.ts'
import { nodeOf, viewOf, type ConsoleState, type Overlay } from './state.ts'
import { statusBar } from './status-bar.ts'
import { wrapLine } from './rows/wrap.ts'
import type { Frame, FrameOptions } from './frame-options.ts'

const LEAST = { columns: 40, rows: 10 }
/** With so many rows there is one for a line between the status bar and what is the agent’s. */
const ROOMY = 20

/**
 * Draws states. Keeps what it wrapped and put together for the next frame, which mostly needs the
 * same.
 */
export function createFrame(): (state: ConsoleState, options: FrameOptions) => Frame {
  const scrollbackRows = createConversationRows()
  const overviewFrame = createOverviewFrame(createConversationRows())

  return (state, options) => {
    const { columns, rows: height, palette } = options
    if (columns < LEAST.columns || height < LEAST.rows) {
      return tooSmall(state, options)
    }
    const viewed = nodeOf(state, state.viewed)
    if (state.tree === null || viewed === undefined)
      return alone([state.trouble ?? 'Reading the tree …'], options)
    if (state.overlay === null && state.place === 'overview') return overviewFrame(state, options)
    const review = state.reviewed === null ? undefined : state.reviews[state.reviewed]
    if (state.overlay === null && state.place === 'review' && review !== undefined)
      return reviewFrame(state, review, options)
    const node = asWaiting(viewed, state.waits)

    const status = statusBar(node, {
      path: pathTo(state.rotation, node.id),
      position: state.rotation.indexOf(viewed) + 1,
      total: state.rotation.length,
      capture_lines: viewOf(state, node.id).captureLines,
      inbox: state.tree.inbox,
      width: columns,
      palette,
      trouble: state.trouble,
      frame: options.spin,
    })
    const bar = height < ROOMY ? status : [...status, palette.dim('─'.repeat(columns))]
    const room = height - bar.length
    if (state.overlay?.kind === 'inbox')
      return inboxFrame(state, state.overlay.selected, bar, options)
    if (state.overlay?.kind === 'radar') return radarFrame(state, state.overlay, bar, options)
    const view = viewOf(state, node.id)
    const rows =
      state.overlay === null
        ? scrollbackRows(state, viewed, { width: columns, palette })
        : overlayRows(state, state.overlay, options)
    const scroll = state.overlay === null ? view.scroll : state.overlay.scroll
    const hiddenBelow = (bottom: number): number => window(rows, room - bottom, scroll).below
    const bottom = bottomRows(state, node, { ...options, below: hiddenBelow(2) })
    const seen: Window = window(rows, room - bottom.rows.length, scroll)
    const shown =
      state.overlay === null && rows.length === 0 && view.seen
        ? [...emptyTerminal(node, { width: columns, palette, isAlone: false }), ...seen.rows].slice(
            0,
            seen.rows.length,
          )
        : seen.rows
    return {
      rows: [...bar, ...shown, ...bottom.rows],
      cursor:
        bottom.cursor === null
          ? null
          : { x: bottom.cursor.x, y: height - bottom.rows.length + bottom.cursor.y },
      scrolling: { total: rows.length, height: seen.rows.length, scroll: seen.scroll },
    }
  }
}

function alone(lines: readonly string[], { columns, rows }: FrameOptions): Frame {
  const shown = lines.flatMap((line) => wrapLine(line, columns)).slice(0, rows)
  return {
    rows: [...shown, ...Array.from({ length: Math.max(0, rows - shown.length) }, () => '')],
    cursor: null,
    scrolling: { total: shown.length, height: rows, scroll: null },
  }
}

/** What is typed is still to be seen. */
function tooSmall(state: ConsoleState, options: FrameOptions): Frame {
  const { columns, rows: height, palette } = options
  const frame = alone(
    [`Too small: ${columns}×${height}.`, `${LEAST.columns}×${LEAST.rows} at least.`],
    options,
  )
  if (height < 2 || columns < 8) return frame
  const input = inputRow(state, columns, palette)
  return {
    ...frame,
    rows: [...frame.rows.slice(0, -1), input.row],
    cursor: { x: input.x, y: height - 1 },
  }
}

function inboxFrame(
  state: ConsoleState,
  selected: number,
  bar: readonly string[],
  options: FrameOptions,
): Frame {
  const { columns: width, rows: height, palette, now } = options
  const asked =
    state.ask === null
      ? { rows: [], cursor: null }
      : bottomRows(state, undefined, { ...options, below: 0 })
  const notices = noticeRows(state, options)
  const room = height - bar.length - notices.length - asked.rows.length
  const items = state.inbox === null ? [] : itemsOf(state.inbox)
  const rows = inboxRows(items, { selected, width, height: room, now, palette })
  const filled = [
    ...rows.slice(0, -1),
    ...Array.from({ length: room - rows.length }, () => ''),
    ...rows.slice(-1),
  ]
  return {
    rows: [...bar, ...filled, ...notices, ...asked.rows],
    cursor:
      asked.cursor === null
        ? null
        : { x: asked.cursor.x, y: height - asked.rows.length + asked.cursor.y },
    scrolling: { total: rows.length, height: room, scroll: null },
  }
}

function overlayRows(
  state: ConsoleState,
  overlay: Exclude<Overlay, { kind: 'inbox' | 'radar' }>,
  { columns: width, palette, spin, now }: FrameOptions,
): string[] {
  switch (overlay.kind) {
    case 'tree':
      return state.tree === null
        ? []
        : renderTree(
            { ...state.tree, root: withOwnWaits(state.tree.root, state.waits) },
            { width, palette, frame: spin },
          )
    case 'fold':
      return foldRows(overlay, { width, palette, now })
    case 'help':
      return helpRows({ width, palette, place: state.place })
    case 'rows':
      return overlay.rows.flatMap((row) =>
        displayWidth(row) <= width ? [row] : wrapLine(row, width),
      )
  }
}
