import type { TreeNode } from '../../../core/agents/tree-document.ts'
import { hasTerminal } from '../../text/no-terminal.ts'
import type { Palette } from '../../text/palette.ts'
import { printableLine } from '../../text/printable.ts'
import { renderTree } from '../../text/tree/tree-view.ts'
import { cut, displayWidth } from '../../text/width.ts'
import { createScrollback, window, type Scroll, type Window } from './rows/compose-scrollback.ts'
import { endRow } from './rows/end-row.ts'
import { bottomRows, inputRow } from './frame-bottom.ts'
import { helpRows } from './rows/help-rows.ts'
import { inboxRows, itemsOf } from './rows/inbox-rows.ts'
import { pathTo } from './rotation.ts'
import { isUnmanned, nodeOf, viewOf, type ConsoleState, type Overlay, type View } from './state.ts'
import { statusBar } from './status-bar.ts'
import { wrapLine } from './rows/wrap.ts'
import type { FrameOptions } from './frame-options.ts'

export interface Frame {
  /** As many as the terminal has, none wider than it is. */
  readonly rows: readonly string[]
  /** Where the cursor stands, from 0; null where there is none. */
  readonly cursor: { readonly x: number; readonly y: number } | null
  /** What can be scrolled: rows in all, and how many are seen. */
  readonly scrolling: { readonly total: number; readonly height: number; readonly scroll: Scroll }
}

const LEAST = { columns: 40, rows: 10 }
/** With so many rows there is one for a line between the status bar and what is the agent’s. */
const ROOMY = 20
/** Milliseconds for which what the console says is shown also over something else. */
const NOTICE_SHOWN = 8000

/**
 * Draws states. Keeps what it wrapped and put together for the next frame, which mostly needs the
 * same.
 */
export function createFrame(): (state: ConsoleState, options: FrameOptions) => Frame {
  const compose = createScrollback()
  let kept: { key: readonly unknown[]; rows: string[] } = { key: [], rows: [] }
  const scrollbackRows = (
    state: ConsoleState,
    node: TreeNode,
    view: View,
    { columns: width, palette }: FrameOptions,
  ): string[] => {
    const dead = endRow(node, { now: state.readAt, width, palette })
    const key = [view.text, view.entries, view.notices, view.missing, dead, width]
    if (key.some((part, index) => part !== kept.key[index])) {
      // Whatever was seen of it stays, also when its terminal is gone.
      const text = view.text === '' ? (view.missing ?? '') : view.text
      kept = {
        key,
        rows: compose({ text, entries: view.entries, notices: view.notices, dead, width, palette }),
      }
    }
    return kept.rows
  }

  return (state, options) => {
    const { columns, rows: height, palette } = options
    if (columns < LEAST.columns || height < LEAST.rows) {
      return tooSmall(state, options)
    }
    const node = nodeOf(state, state.viewed)
    if (state.tree === null || node === undefined)
      return alone([state.trouble ?? 'Reading the tree …'], options)

    const status = statusBar(node, {
      path: pathTo(state.rotation, node.id),
      position: state.rotation.indexOf(node) + 1,
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
    const view = viewOf(state, node.id)
    const rows =
      state.overlay === null
        ? scrollbackRows(state, node, view, options)
        : overlayRows(state, state.overlay, options)
    const scroll = state.overlay === null ? view.scroll : state.overlay.scroll
    const hiddenBelow = (bottom: number): number => window(rows, room - bottom, scroll).below
    const bottom = bottomRows(state, node, { ...options, below: hiddenBelow(2) })
    const seen: Window = window(rows, room - bottom.rows.length, scroll)
    const shown =
      state.overlay === null && rows.length === 0 && view.seen
        ? emptyRows(node, seen.rows, columns, palette)
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

/** What came of a decision, for the scrollback is not to be seen. */
function noticeRows(state: ConsoleState, { columns, palette, now }: FrameOptions): string[] {
  const notice = viewOf(state, state.viewed).notices.at(-1)
  return notice === undefined || notice.at < now - NOTICE_SHOWN
    ? []
    : [palette[notice.colour](cut(printableLine(notice.text), columns))]
}

function overlayRows(
  state: ConsoleState,
  overlay: Exclude<Overlay, { kind: 'inbox' }>,
  { columns: width, palette, spin }: FrameOptions,
): string[] {
  switch (overlay.kind) {
    case 'tree':
      return state.tree === null ? [] : renderTree(state.tree, { width, palette, frame: spin })
    case 'help':
      return helpRows({ width, palette })
    case 'rows':
      return overlay.rows.flatMap((row) =>
        displayWidth(row) <= width ? [row] : wrapLine(row, width),
      )
  }
}

function emptyRows(
  node: TreeNode,
  rows: readonly string[],
  width: number,
  palette: Palette,
): readonly string[] {
  const nothing = hasTerminal(node)
    ? 'Its terminal shows nothing yet.'
    : 'It has written nothing yet.'
  const words = isUnmanned(node) ? 'The root has no program: `exomonad up` starts one.' : nothing
  return [palette.dim(cut(words, width)), ...rows.slice(1)]
}
