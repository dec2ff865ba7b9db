import type { TreeNode } from '../../../../core/agents/tree-document.ts'
import { itemOwnText } from '../../../text/inbox/inbox-words.ts'
import { happenedLines } from '../../../text/log/log-lines.ts'
import { hasTerminal } from '../../../text/no-terminal.ts'
import type { Palette } from '../../../text/palette.ts'
import { printable, printableLine } from '../../../text/printable.ts'
import { plural } from '../../../text/quantity.ts'
import { relativeTime } from '../../../text/relative-time.ts'
import { displayWidth } from '../../../text/width.ts'
import { diffLineRows, numberWidth } from '../review/diff-rows.ts'
import { diffRows, type DiffRow } from '../../../text/diff/diff-rows.ts'
import { wrapText } from '../rows/wrap.ts'
import { isUnmanned, viewOf, type ConsoleState } from '../state.ts'
import { contentKey, type Content } from './overview.ts'
import type { NeedsYou } from './overview-rows.ts'

interface Options {
  readonly width: number
  readonly palette: Palette
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** What an item asks for, whole, with the commands that settle it too. */
export function itemPreview(item: NeedsYou, { width, palette, now }: Options): string[] {
  const text = itemOwnText(item)
  return [
    ...wrapText(printableLine(item.title), width).map(palette.bold),
    ...(text === '' ? [] : wrapText(text, width)),
    palette.dim(`since ${relativeTime(item.since, now)}`),
  ]
}

/**
 * What a tab shows of an agent, all of it, in rows of at most `width` columns. Keeps what it parsed
 * and drew for the next frame, which mostly needs the same.
 */
export function createTabRows(): (
  state: ConsoleState,
  node: TreeNode,
  options: Options,
) => readonly string[] {
  let parsed: { diff: string; rows: readonly DiffRow[] } = { diff: '', rows: [] }
  let kept: { key: readonly unknown[]; rows: readonly string[] } = { key: [], rows: [] }
  const rowsOfDiff = (diff: string): readonly DiffRow[] => {
    if (parsed.diff !== diff) parsed = { diff, rows: diffRows(diff) }
    return parsed.rows
  }
  const draw = (content: Content, state: ConsoleState, options: Options): string[] => {
    const { width, palette } = options
    switch (content.kind) {
      case 'nothing':
        return wrapText(content.why, width).map(palette.dim)
      case 'diff': {
        const rows = rowsOfDiff(content.diff)
        const numbers = numberWidth(rows)
        return rows.length === 0
          ? wrapText(`#${content.number} changes nothing.`, width).map(palette.dim)
          : rows.flatMap((row) => diffLineRows(row, { width, numbers, palette }))
      }
      case 'timeline': {
        const names = new Map<string, string>(state.rotation.map(({ id, short }) => [id, short]))
        const lines = happenedLines(
          content.events,
          ({ agentId }) => (agentId === null ? null : (names.get(agentId) ?? agentId.slice(0, 8))),
          { palette, width },
        )
        return lines.length === 0
          ? [palette.dim('Nothing happened yet.')]
          : lines.flatMap((line) => (displayWidth(line) <= width ? [line] : wrapText(line, width)))
      }
      case 'mail':
        return mailRows(content.messages, options)
    }
  }

  return (state, node, options) => {
    const { width, palette, now } = options
    const { tab, contents } = state.overview
    if (tab === 'task') {
      const { task } = viewOf(state, node.id)
      if (task === null) return [palette.dim('Reading …')]
      return task.trim() === ''
        ? wrapText('It was given no task.', width).map(palette.dim)
        : wrapText(printable(task).trimEnd(), width)
    }
    const content = contents[contentKey(tab, node.id)]
    if (content === undefined) return [palette.dim('Reading …')]
    // How old mail is changes by itself.
    const key = [content, width, palette, tab === 'mail' ? Math.floor(now / 1000) : 0]
    if (key.some((part, index) => part !== kept.key[index]))
      kept = { key, rows: draw(content, state, options) }
    return kept.rows
  }
}

function mailRows(
  messages: Extract<Content, { kind: 'mail' }>['messages'],
  { width, palette, now }: Options,
): string[] {
  if (messages.length === 0)
    return wrapText('No mail of other agents waits for it.', width).map(palette.dim)
  return [
    ...wrapText(`${plural(messages.length, 'message')}, not taken yet`, width).map(palette.dim),
    ...messages.flatMap(({ name, message, sent_at: at }) => [
      '',
      ...wrapText(`● ${printableLine(name)} · ${relativeTime(at, now)}`, width).map(palette.bold),
      ...wrapText(printable(message).trimEnd(), width - 2).map((line) => `  ${line}`),
    ]),
  ]
}

/** What stands in the place of a terminal that shows nothing. */
export function emptyTerminal(
  node: TreeNode,
  { width, palette, isAlone }: Pick<Options, 'width' | 'palette'> & { readonly isAlone: boolean },
): string[] {
  const words = isUnmanned(node)
    ? isAlone
      ? 'Nobody works here yet. `exomonad up "TASK"` starts the root’s agent with a task; `exomonad spawn` starts workers below it. They appear here as they begin.'
      : 'The root has no program: `exomonad up` starts one.'
    : hasTerminal(node)
      ? 'Its terminal shows nothing yet.'
      : 'It has written nothing yet.'
  return wrapText(words, width).map(palette.dim)
}
