import { rm } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { ExomonadError } from '../../../domain/errors.ts'
import type { Log } from '../../../runtime/log.ts'
import { isRunning } from '../../../processes/processes.ts'
import { sendSignal } from '../../../../packages/subagents/src/processes/signal.ts'
import { BORDER_FORMAT } from './beside.ts'
import { KEEPER, type Connection } from './connection.ts'
import { command } from './quote.ts'

/**
 * Set on the whole server. Not `window-size manual`: with it tmux 3.3a crashes on every new window
 * (it looks for the size in a window that is not there yet); each window of an agent is made manual
 * by the resize that follows its creation. With `latest`, the default, a new window has the size of
 * whoever typed last in any session, with `largest` only those of its own session count.
 */
const OPTIONS = [
  ['set-option', '-g', 'window-size', 'largest'],
  ['set-option', '-g', 'remain-on-exit', 'on'],
  // A line on the screen about the end would stand in captures.
  ['set-option', '-g', 'remain-on-exit-format', ''],
  ['set-option', '-g', 'destroy-unattached', 'off'],
  ['set-option', '-g', 'exit-unattached', 'off'],
  ['set-option', '-g', 'allow-rename', 'off'],
  ['set-option', '-g', 'automatic-rename', 'off'],
  // Otherwise a person who attaches brings DISPLAY, SSH_AUTH_SOCK and others into later panes.
  ['set-option', '-g', 'update-environment', ''],
  ['set-option', '-g', 'default-terminal', 'screen-256color'],
  ['set-option', '-g', 'history-limit', '2000'],
  ['set-option', '-s', 'escape-time', '10'],
  // The log of messages would keep every pasted text.
  ['set-option', '-s', 'message-limit', '20'],
  // Only windows with several agents show it.
  ['set-option', '-g', 'pane-border-format', BORDER_FORMAT],
  // Sent to control clients at once, where a subscription takes up to a second. A hook itself sends
  // no notices, what run-shell -b defers does.
  [
    'set-hook',
    '-g',
    'pane-died',
    `run-shell -b -C "rename-window -t '=${KEEPER}:' '#{hook_pane} died'"`,
  ],
] as const

const MAKE_KEEPER = [
  'new-session',
  '-d',
  '-s',
  KEEPER,
  '-x',
  '80',
  '-y',
  '24',
  '--',
  'tail',
  '-f',
  '/dev/null',
] as const

const START_ATTEMPTS = 20
const STOP_POLL = 10
const CLIENT_LIMIT = 1000
const STOP_LIMIT = 5000

/**
 * Throws MULTIPLEXER_UNAVAILABLE where tmux is not there or older than 3.2 (control-mode
 * subscriptions, `new-session -e`).
 */
export async function requireVersion(connection: Connection): Promise<void> {
  const reply = await connection.run(['-V'])
  const version = reply.kind === 'done' ? (reply.lines[0] ?? '') : ''
  const [, major, minor] = /(\d+)\.(\d+)/.exec(version) ?? []
  if (major === undefined || !version.startsWith('tmux ') || version.includes('openbsd')) return
  if (Number(major) > 3 || (Number(major) === 3 && Number(minor) >= 2)) return
  throw new ExomonadError(
    'MULTIPLEXER_UNAVAILABLE',
    `${version} is too old: exomonad needs tmux 3.2 or newer. Install it, or set [multiplexer] kind = "headless".`,
    {
      found: version,
    },
  )
}

/**
 * Starts the server where it does not run, and sets its options and `more`. Two at the same time
 * end up with one server.
 */
export async function ensureServer(
  connection: Connection,
  more: readonly string[],
  log: Log,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const made = await connection.apart(() => connection.run(MAKE_KEEPER))
    if (made.kind === 'done' && made.errors.every((error) => error.startsWith('duplicate session')))
      break
    if (attempt === START_ATTEMPTS) {
      const reason = made.kind === 'done' ? made.errors.join('; ') : made.kind
      throw new ExomonadError(
        'MULTIPLEXER_UNAVAILABLE',
        `The tmux server did not start: ${reason}. Run \`exomonad doctor\`.`,
        { reason },
      )
    }
    // A server that is just ending takes connections and then drops them.
    await delay(50)
  }
  const set = await connection.spawn(
    [...OPTIONS.map((words) => command(...words)), ...more].join('\n'),
  )
  if (set.kind === 'done' && set.errors.length > 0)
    log.debug({ errors: set.errors }, 'tmux does not know some options')
}

export interface ServerFacts {
  readonly pid: number
  readonly socketPath: string
}

/** Undefined where no server runs. */
export async function serverFacts(connection: Connection): Promise<ServerFacts | undefined> {
  const reply = await connection.ask(
    command('display-message', '-p', 'server #{pid} #{socket_path}'),
  )
  const match =
    reply.kind === 'done'
      ? reply.lines.map((line) => /^server (\d+) (.+)$/.exec(line)).find((found) => found !== null)
      : undefined
  return match === undefined || match === null
    ? undefined
    : { pid: Number(match[1]), socketPath: match[2] ?? '' }
}

/** Ends the server and waits until it is gone: one that is started while the old one ends fails. */
export async function stopServer(
  connection: Connection,
  { pid, socketPath }: ServerFacts,
): Promise<void> {
  // A control client that is still there is notified of every session that ends, which crashes tmux
  // 3.3a on the way out.
  for (let waited = 0; waited < CLIENT_LIMIT; waited += STOP_POLL) {
    const clients = await connection.run(['list-clients', '-F', '#{client_control_mode}'])
    if (clients.kind !== 'done' || !clients.lines.includes('1')) break
    await delay(STOP_POLL)
  }
  await connection.run(['kill-server'])
  for (let waited = 0; waited < STOP_LIMIT && (await isRunning(pid)); waited += STOP_POLL)
    await delay(STOP_POLL)
  if (await isRunning(pid)) sendSignal(pid, 'SIGKILL')
  await rm(socketPath, { force: true })
}
