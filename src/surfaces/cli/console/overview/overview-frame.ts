import { headline } from '../../../text/tree/tree-view.ts'
import { nodesOf } from '../../../text/tree/rows.ts'
import { needWords } from '../../../text/need-words.ts'
import type { Palette } from '../../../text/palette.ts'
import { plural } from '../../../text/quantity.ts'
import { cut, displayWidth, pad } from '../../../text/width.ts'
import type { Frame, FrameOptions } from '../frame-options.ts'
import { lineRows, noticeRows } from '../rows/ask-rows.ts'
import { keyBar } from '../rows/key-bar.ts'
import { asWaiting, withOwnWaits } from '../own-waits.ts'
import { pathTo } from '../rotation.ts'
import { window, type Scroll } from '../rows/compose-scrollback.ts'
import { nodeOf, type ConsoleState } from '../state.ts'
import { stateRow } from '../status-bar.ts'
import { listRows } from './list-rows.ts'
import { overviewKeys } from './overview-keys.ts'
import { overviewRows, selectedRow, type OverviewRow } from './overview-rows.ts'
import { TABS, type Tab } from './overview.ts'
import { createTabRows, emptyTerminal, itemPreview } from './preview.ts'
import type { ConversationRows } from '../rows/conversation-rows.ts'

/** From so many columns on list and preview stand side by side. */
const SIDE_BY_SIDE = 110
/** Of a stacked preview or list that has not the focus. */
const LEAST_PART = 3

/**
 * Draws the overview: what needs the person and the agents in a list, beside or above a preview of
 * what is selected.
 */
export function createOverviewFrame(
  terminalRows: ConversationRows,
): (state: ConsoleState, options: FrameOptions) => Frame {
  const tabRows = createTabRows()

  return (state, options) => {
    const { columns, rows: height } = options
    const rows = overviewRows(state)
    const selected = selectedRow(state, rows)
    const bottom = bottomOf(state, rows, selected?.row, options)
    const header = headerRow(state, options)
    const room = height - 1 - bottom.rows.length
    const body = { rows, selected, room }
    const { lines, scrolling } =
      columns >= SIDE_BY_SIDE ? sideBySide(state, body, options) : stacked(state, body, options)
    return {
      rows: [header, ...lines, ...bottom.rows],
      cursor:
        bottom.cursor === null
          ? null
          : { x: bottom.cursor.x, y: height - bottom.rows.length + bottom.cursor.y },
      scrolling,
    }
  }

  function sideBySide(state: ConsoleState, body: Body, options: FrameOptions): Drawn {
    const { columns, palette } = options
    const left = Math.max(48, Math.min(96, Math.floor(columns * 0.42)))
    const right = columns - left - 3
    const height = body.room - 1
    const list = listOf(body, { ...options, width: left, height })
    const preview = previewOf(state, body.selected?.row, { ...options, width: right, height })
    return {
      lines: [
        `${titleRow(listTitle(state, body.rows), left, palette)}${palette.dim('┬─')} ${tabsRow(state, right, palette)}`,
        ...preview.rows.map((row, index) =>
          `${pad(list[index] ?? '', left)} ${palette.dim('│')} ${row}`.trimEnd(),
        ),
      ],
      scrolling: preview.scrolling,
    }
  }

  function stacked(state: ConsoleState, body: Body, options: FrameOptions): Drawn {
    const { columns: width, palette } = options
    const room = Math.max(2, body.room - 2)
    const wanted = listOf(body, { ...options, width, height: room }).length
    const most =
      state.overview.focus === 'preview' ? LEAST_PART : Math.max(LEAST_PART, Math.floor(room * 0.5))
    const height = Math.max(1, Math.min(wanted, most, room - 1))
    const list = listOf(body, { ...options, width, height })
    const preview = previewOf(state, body.selected?.row, {
      ...options,
      width,
      height: room - height,
    })
    return {
      lines: [
        titleRow(listTitle(state, body.rows), width, palette),
        ...list,
        ...Array.from({ length: height - list.length }, () => ''),
        `${palette.dim('─')} ${tabsRow(state, width - 2, palette)}`,
        ...preview.rows,
      ],
      scrolling: preview.scrolling,
    }
  }

  function previewOf(
    state: ConsoleState,
    row: OverviewRow | undefined,
    options: FrameOptions & { readonly width: number; readonly height: number },
  ): { rows: string[]; scrolling: Frame['scrolling'] } {
    const { width, palette, now, spin } = options
    const node = nodeOf(state, state.viewed)
    const item = row?.kind === 'item' ? itemPreview(row.item, { width, palette, now }) : []
    // An item of nobody who is in the tree has no more to show.
    const isAboutAgent = row !== undefined && row.agent !== null && node !== undefined
    const status =
      isAboutAgent && options.height >= 6
        ? [
            stateRow(asWaiting(node, state.waits), {
              path: pathTo(state.rotation, node.id),
              width,
              palette,
              frame: spin,
            }),
          ]
        : []
    const most = Math.max(1, Math.floor(options.height / 2))
    const shownItem = item.length === 0 ? [] : isAboutAgent ? [...item.slice(0, most), ''] : item
    const head = [...shownItem, ...status].slice(0, options.height)
    const height = options.height - head.length
    if (!isAboutAgent) {
      const seen = window(head, options.height, 0)
      return {
        rows: seen.rows,
        scrolling: { total: head.length, height: options.height, scroll: 0 },
      }
    }
    const { tab } = state.overview
    const isTerminal = tab === 'terminal'
    const terminal = isTerminal ? terminalRows(state, node, { width, palette }) : []
    const isAlone = state.rotation.length === 1
    const content = isTerminal
      ? terminal.length > 0
        ? terminal
        : emptyTerminal(node, { width, palette, isAlone })
      : tabRows(state, node, { width, palette, now })
    const scroll = state.overview.scroll === undefined ? startOf(tab) : state.overview.scroll
    const seen = window(content, height, scroll)
    return {
      rows: [...head, ...seen.rows],
      scrolling: { total: content.length, height, scroll: seen.scroll },
    }
  }
}

interface Body {
  readonly rows: readonly OverviewRow[]
  readonly selected: { readonly row: OverviewRow; readonly index: number } | undefined
  /** Rows of the screen. */
  readonly room: number
}

interface Drawn {
  readonly lines: string[]
  readonly scrolling: Frame['scrolling']
}

/** What grows at its end is seen there, all else from its begin. */
const startOf = (tab: Tab): Scroll => (tab === 'terminal' || tab === 'timeline' ? null : 0)

const listOf = (
  { rows, selected }: Body,
  options: FrameOptions & { readonly width: number; readonly height: number },
): string[] => listRows(rows, { ...options, selected: selected?.index ?? 0 })

/** Whose tree it is, how they do, and how much needs the person. */
function headerRow(state: ConsoleState, { columns: width, palette }: FrameOptions): string {
  const { tree, trouble, waits } = state
  if (trouble !== null || tree === null)
    return palette.bad(cut(`! ${trouble ?? 'Reading the tree …'}`, width))
  const need = tree.inbox.items > 0 ? ` · ! ${needWords(tree.inbox)} you` : ''
  const root = withOwnWaits(tree.root, waits)
  const [line = ''] = headline({ ...tree, root }, nodesOf(root), {
    width: width - displayWidth(need),
    palette,
  })
  return `${line}${palette.attention(need)}`
}

function listTitle(
  { overview, inbox, rotation }: ConsoleState,
  rows: readonly OverviewRow[],
): Title {
  const items = inbox?.items.length ?? 0
  const shown = rows.filter(({ kind }) => kind === 'agent').length
  const agents = overview.filter === '' ? '' : `${shown} of `
  return {
    text: [
      ...(items > 0 ? [`Needs you ${items}`] : []),
      `${agents}${plural(rotation.length, 'agent')}`,
      ...(overview.sort === 'tree' ? [] : [`by ${overview.sort}`]),
      ...(overview.filter === '' ? [] : [`/ ${overview.filter}`]),
    ].join(' · '),
    isFocused: overview.focus === 'list',
  }
}

interface Title {
  readonly text: string
  readonly isFocused: boolean
}

/** Exactly `width` columns. */
function titleRow({ text, isFocused }: Title, width: number, palette: Palette): string {
  const words = cut(`${isFocused ? '▸ ' : ''}${text}`, Math.max(1, width - 4))
  const fill = '─'.repeat(Math.max(0, width - displayWidth(words) - 3))
  return `${palette.dim('─')} ${isFocused ? palette.bold(palette.active(words)) : words} ${palette.dim(fill)}`
}

const TITLES: Readonly<Record<Tab, string>> = {
  terminal: 'Terminal',
  diff: 'Diff',
  task: 'Task',
  timeline: 'Timeline',
  mail: 'Mail',
}

/** All tabs where there is room for them, else the one that is shown. At most `width` columns. */
function tabsRow({ overview }: ConsoleState, width: number, palette: Palette): string {
  const isFocused = overview.focus === 'preview'
  const named = (tab: Tab, index: number): string =>
    tab === overview.tab ? `[${index + 1} ${TITLES[tab]}]` : ` ${index + 1} ${TITLES[tab]} `
  const lead = isFocused ? '▸' : ''
  const plain = lead + TABS.map(named).join('')
  const paint = (tab: Tab, text: string): string =>
    tab === overview.tab ? palette.bold(isFocused ? palette.active(text) : text) : palette.dim(text)
  const tabs = displayWidth(plain) <= width ? TABS : TABS.filter((tab) => tab === overview.tab)
  const shown = tabs.map((tab) => named(tab, TABS.indexOf(tab)))
  const used = displayWidth(lead + shown.join(''))
  const fill = width - used < 2 ? '' : ` ${'─'.repeat(width - used - 1)}`
  return `${palette.active(lead)}${tabs.map((tab, index) => paint(tab, shown[index] ?? '')).join('')}${palette.dim(fill)}`
}

function bottomOf(
  state: ConsoleState,
  rows: readonly OverviewRow[],
  row: OverviewRow | undefined,
  options: FrameOptions,
): { rows: string[]; cursor: { x: number; y: number } | null } {
  const { columns: width, palette } = options
  const written = lineRows(state, rows.length, options)
  if (written !== null) return written
  return {
    rows: [...noticeRows(state, options), keyBar(overviewKeys(state, row), width, palette)],
    cursor: null,
  }
}
