import { asPaneId, type PaneId } from '../../../domain/ids.ts'
import { LEAST } from '../least.ts'
import { titleOf } from '../program.ts'
import type { Connection } from './connection.ts'
import { command, literal, sequence } from './quote.ts'

/** The option of a pane that holds its name: a window has only one. */
export const NAME = '@name'

/** The line above each pane of a shared window. */
export const BORDER_FORMAT = `#{?pane_active,#[reverse],} #{?#{==:#{${NAME}},},#{pane_title},#{${NAME}}} #[default]`

/**
 * How many panes the layout `tiled` has room for in a window of this size; each has a line more,
 * which names it.
 */
export function roomFor(columns: number, rows: number): number {
  const fits = (count: number): boolean => {
    let [across, down] = [1, 1]
    while (across * down < count) {
      down += 1
      if (across * down < count) across += 1
    }
    return (
      Math.floor((columns - (across - 1)) / across) >= LEAST.columns &&
      Math.floor((rows - (down - 1)) / down) - 1 >= LEAST.rows
    )
  }
  let count = 1
  while (fits(count + 1)) count += 1
  return count
}

export interface PaneWindow {
  readonly windowId: string
  readonly panes: number
  readonly columns: number
  readonly rows: number
  /** A person made its active pane as large as the window. */
  readonly zoomed: boolean
  /** That pane is this one. */
  readonly active: boolean
}

/** The window that a pane is in; undefined where the pane is not there. */
export const windowOf = async (
  connection: Connection,
  paneId: PaneId,
): Promise<PaneWindow | undefined> =>
  (await windowsOf(connection, `#{==:#{pane_id},${paneId}}`)).get(paneId)

/** The windows of all panes, or of those of a filter. */
export async function windowsOf(
  connection: Connection,
  filter?: string,
): Promise<Map<PaneId, PaneWindow>> {
  const fields = [
    'window',
    '#{pane_id}',
    '#{window_id}',
    '#{window_panes}',
    '#{window_width}',
    '#{window_height}',
    '#{window_zoomed_flag}',
    '#{pane_active}',
  ]
  const only = filter === undefined ? [] : ['-f', filter]
  const reply = await connection.ask(command('list-panes', '-a', ...only, '-F', fields.join(' ')))
  const rows = reply.kind === 'done' ? reply.lines.map((line) => line.split(' ')) : []
  return new Map(
    rows
      .filter(([word]) => word === 'window')
      .map(([, paneId = '', windowId = '', panes, columns, rows, zoomed, active]) => [
        asPaneId(paneId),
        {
          windowId,
          panes: Number(panes),
          columns: Number(columns),
          rows: Number(rows),
          zoomed: zoomed === '1',
          active: active === '1',
        },
      ]),
  )
}

/**
 * Runs `split` where the window still has room: agents that are opened at the same time are counted
 * one by one, by tmux itself. The new pane has the whole width below all others, where `newest`
 * finds it, until `spread` gives them all the same room. The active pane stays the active one.
 */
export function ifRoom(beside: PaneId, window: PaneWindow, split: string): string {
  const room = `#{&&:#{==:#{window_id},${window.windowId}},#{e|<:#{window_panes},${String(roomFor(window.columns, window.rows))}}}`
  return command(
    'if-shell',
    '-F',
    '-t',
    beside,
    room,
    split,
    command('display-message', '-p', 'no room'),
  )
}
export const newest = ({ windowId }: PaneWindow): string => `${windowId}.{bottom-right}`
export const spread = ({ windowId, zoomed }: PaneWindow): string =>
  sequence(
    command('set-option', '-w', '-t', windowId, 'pane-border-status', 'top'),
    command('select-layout', '-t', windowId, 'tiled'),
    ...(zoomed ? [zoom(windowId)] : []),
  )
const zoom = (windowId: string): string => command('resize-pane', '-Z', '-t', windowId)

/** A window is called as its first pane is. Fails where the pane is not there. */
export const renameCommand = (paneId: PaneId, name: string): string =>
  sequence(
    command('set-option', '-p', '-t', paneId, NAME, titleOf(name)),
    command(
      'if-shell',
      '-F',
      '-t',
      paneId,
      '#{==:#{pane_index},#{pane-base-index}}',
      command('rename-window', '-t', paneId, literal(titleOf(name))),
    ),
  )

/**
 * After a pane of a shared window was closed: the others get its room, the window the name of the
 * one that is first now.
 */
export function closeRanks({ windowId, zoomed, active }: PaneWindow): string {
  const when = (format: string, yes: string, no: readonly string[] = []) =>
    command('if-shell', '-F', '-t', windowId, format, yes, ...no)
  const first = `${windowId}.{top-left}`
  const alone = command('set-option', '-w', '-t', windowId, 'pane-border-status', 'off')
  const evenly = sequence(
    command('select-layout', '-t', windowId, 'tiled'),
    ...(zoomed && !active ? [zoom(windowId)] : []),
  )
  const tidy = sequence(
    when('#{==:#{window_panes},1}', alone, [evenly]),
    command(
      'if-shell',
      '-F',
      '-t',
      first,
      `#{!=:#{${NAME}},}`,
      command('rename-window', '-t', first, `#{${NAME}}`),
    ),
  )
  // A target that is missing counts as empty values.
  return when(`#{==:#{window_id},${windowId}}`, tidy)
}
