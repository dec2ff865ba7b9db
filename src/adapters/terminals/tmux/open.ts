import { randomUUID } from 'node:crypto'
import { ExomonadError } from '../../../domain/errors.ts'
import { asPaneId, type PaneId } from '../../../domain/ids.ts'
import type { OpenPane } from '../holder.ts'
import { programOf, titleOf } from '../program.ts'
import { ifRoom, NAME, newest, spread, windowOf, type PaneWindow } from './beside.ts'
import { HOME, KEEPER, silent, type Connection, type Reply } from './connection.ts'
import { command, literal, sequence } from './quote.ts'

/**
 * The session that people attach to: a first window that says what this is, and those of the
 * agents. It comes with the first agent.
 */
export const AGENTS = 'exomonad'

const WELCOME = [
  '/bin/sh',
  '-c',
  "printf '%s\\n' 'Agents of exomonad: they are in the next windows.'; exec tail -f /dev/null",
]
const MISSING_SESSION = /^(can't find |no such session|no current)/
const ATTEMPTS = 10

const OPENED = ['-P', '-F', 'opened #{pane_id} #{pane_pid}'] as const

/** What the pane runs, for the commands that make one. */
const program = ({ cwd, env, argv }: OpenPane): string[] => [
  ...['-c', literal(cwd)],
  ...Object.entries(env).flatMap(([key, value]) => ['-e', `${key}=${value}`]),
  ...['--', ...programOf(argv)],
]

/**
 * Once its program has ended, tmux closes a pane's terminal at once, with all that it has not read
 * from it; only of a pane with a pipe it reads the rest first (window_pane_destroy_ready in its
 * window.c). So each has one, to nobody.
 */
const PIPE = 'exec cat >/dev/null'

/** Marks a pane as the agent's. */
const mark = (pane: string, { agentId, name }: OpenPane, token: string): string[] => [
  ...Object.entries({ '@agent_id': agentId, '@open_id': token, [NAME]: titleOf(name) }).map(
    (option) => command('set-option', '-p', '-t', pane, ...option),
  ),
  command('pipe-pane', '-t', pane, PIPE),
]

/**
 * Commands that make the window and mark it as the agent's, in one sequence: a daemon that dies in
 * between leaves either nothing or an adoptable pane. Until the last command the window's name is
 * `token`, by which the other commands find it (`=` matches whole names only). It is made in the
 * keeper's session, where nobody looks: in the agents' it would be born at the size of whoever is
 * attached.
 */
function openSequence(options: OpenPane, token: string, withSession: boolean): string {
  const { name, columns, rows } = options
  const born = `=${KEEPER}:=${token}`
  const size = ['-x', String(columns), '-y', String(rows)]
  // -e of new-session would set the variables for all later windows: no agent is in the first one.
  const makeSession = command(
    'new-session',
    '-d',
    '-s',
    AGENTS,
    '-n',
    HOME,
    ...size,
    '--',
    ...WELCOME,
  )
  return sequence(
    withSession ? makeSession : command('has-session', '-t', `=${AGENTS}`),
    command(
      'set-option',
      '-t',
      `=${KEEPER}:`,
      'default-size',
      `${String(columns)}x${String(rows)}`,
    ),
    command('new-window', '-d', ...OPENED, '-t', `=${KEEPER}:`, '-n', token, ...program(options)),
    ...mark(born, options, token),
    // Also makes the size manual, which only sizes.ts changes.
    command('resize-window', '-t', born, ...size),
    command('move-window', '-d', '-s', born, '-t', `=${AGENTS}:`),
    command('rename-window', '-t', `=${AGENTS}:=${token}`, literal(titleOf(name))),
  )
}

/** The same in a window that is there, as long as it has room. */
const besideSequence = (
  options: OpenPane,
  token: string,
  { beside, window }: { beside: PaneId; window: PaneWindow },
): string =>
  ifRoom(
    beside,
    window,
    sequence(
      command('split-window', '-d', '-f', ...OPENED, '-t', window.windowId, ...program(options)),
      ...mark(newest(window), options, token),
      spread(window),
    ),
  )

function parseOpened(lines: readonly string[]): { paneId: PaneId; pid: number } | undefined {
  const match = lines
    .map((line) => /^opened (%\d+) (\d+)$/.exec(line))
    .find((found) => found !== null)
  return match === undefined
    ? undefined
    : { paneId: asPaneId(match[1] ?? ''), pid: Number(match[2]) }
}

/**
 * Opens exactly one pane, whatever becomes of the connection: in a window of its own where it has
 * no place beside another. `restart` brings the server up.
 */
export async function openPane(
  connection: Connection,
  options: OpenPane,
  restart: () => Promise<void>,
  timeout: number,
): Promise<{ paneId: PaneId; pid: number }> {
  const token = `open-${randomUUID()}`
  let place = await placeBeside(connection, options.beside)
  let withSession = false
  let reply: Reply = { kind: 'no-server' }
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const line =
      place === undefined
        ? openSequence(options, token, withSession)
        : besideSequence(options, token, place)
    reply = await (place === undefined && withSession
      ? connection.apart(() => connection.act(line))
      : connection.act(line))
    if (reply.kind === 'unknown') {
      const found = await connection.spawn(
        command(
          'list-panes',
          '-a',
          '-f',
          `#{==:#{@open_id},${token}}`,
          '-F',
          'opened #{pane_id} #{pane_pid}',
        ),
      )
      const opened = found.kind === 'done' ? parseOpened(found.lines) : undefined
      if (opened !== undefined) return opened
      if (found.kind === 'unknown') throw silent(options.name, timeout)
      continue
    }
    if (reply.kind === 'no-server') {
      await restart()
      place = undefined
      continue
    }
    const opened = parseOpened(reply.lines)
    if (opened !== undefined && reply.errors.length === 0) return opened
    if (place !== undefined) {
      // No room, or the window has gone since it was looked at.
      if (opened !== undefined) await connection.ask(command('kill-pane', '-t', opened.paneId))
      place = undefined
      continue
    }
    const error = reply.errors.join('; ')
    if (opened === undefined && MISSING_SESSION.test(error) && error.includes(KEEPER))
      await restart()
    else if (opened === undefined && MISSING_SESSION.test(error)) withSession = true
    else if (opened === undefined && error.startsWith('duplicate session')) withSession = false
    else {
      if (opened !== undefined) await connection.ask(command('kill-pane', '-t', opened.paneId))
      break
    }
  }
  const reason = reply.kind === 'done' ? reply.errors.join('; ') : reply.kind
  throw new ExomonadError(
    'MULTIPLEXER_UNAVAILABLE',
    `tmux could not open a window for "${options.name}": ${reason}.`,
    { reason },
  )
}

async function placeBeside(
  connection: Connection,
  beside: PaneId | undefined,
): Promise<{ beside: PaneId; window: PaneWindow } | undefined> {
  const window = beside === undefined ? undefined : await windowOf(connection, beside)
  return beside === undefined || window === undefined ? undefined : { beside, window }
}
