import { setTimeout as delay } from 'node:timers/promises'
import { start, type Exec } from '../../../processes/exec.ts'
import { ExomonadError } from '../../../domain/errors.ts'
import type { Log } from '../../../runtime/log.ts'
import { createControlClient, type ControlClient } from './control-client.ts'
import { command } from './quote.ts'

/**
 * The session that keeps the server and the control client alive while there is no agent. People
 * attach to the other one.
 */
export const KEEPER = 'keeper'
/**
 * The first window of the agents' session, which stays: a session that loses its last window goes,
 * and tmux 3.3a may crash while sessions go (see apart).
 */
export const HOME = 'exomonad'

/** `unknown`: no answer in time, it may have run. */
export type Reply =
  | { kind: 'done'; lines: string[]; errors: string[] }
  | { kind: 'no-server' }
  | { kind: 'unknown' }

export interface Connection {
  /**
   * Runs a line that may run twice without harm. Throws MULTIPLEXER_UNAVAILABLE where tmux does not
   * answer.
   */
  ask(line: string): Promise<Exclude<Reply, { kind: 'unknown' }>>
  /** Runs a line at most once. After `unknown` nothing of it is still to come. */
  act(line: string): Promise<Reply>
  /**
   * The same by a process of its own: for output that could be mistaken for the protocol, and for
   * starting the server.
   */
  spawn(line: string): Promise<Reply>
  /** `tmux` with these arguments. */
  run(args: readonly string[]): Promise<Reply>
  /**
   * Runs what makes a session while no control client of ours is on its way in. tmux 3.3a notifies
   * every control client of each session that comes or goes, also one that has not said all of its
   * greeting yet, for which it has no state: it crashes, and all panes with it.
   */
  apart<T>(makeSession: () => Promise<T>): Promise<T>
  /** Opens the control client where it is not open, and keeps it open. */
  connect(): Promise<void>
  close(): void
}

const NO_SERVER =
  /^(no server running|error connecting to .* \((No such file or directory|Connection refused)\)|server exited|lost server)/m
/**
 * Anything else that keeps it from being asked may pass: nothing was run, and who is there is not
 * known.
 */
const UNREACHED = /^error connecting/m
/** Notifies within a second that the panes, or which of them are dead, changed. */
const SUBSCRIBE = command(
  'refresh-client',
  '-B',
  'panes::#{S:#{W:#{P:#{pane_id}#{?pane_dead,d,} }}}',
)
/** What a control client needs of its environment. */
const GREETED: ReadonlySet<string> = new Set([
  'PATH',
  'HOME',
  'TMPDIR',
  'TMUX_TMPDIR',
  'TERM',
  'LANG',
])
const ATTACH_POLL = 5
const RECONNECT = [50, 200, 1000, 5000] as const

/** Notifications after which a pane may have died or gone. */
const CHANGES =
  /^%(?:window-renamed|subscription-changed|window-close|unlinked-window-close|layout-change|sessions-changed|session-changed|exit)\b/

/**
 * The way to one tmux server: a control-mode client as long as it answers, a process per command
 * otherwise. The control client reports changes (`onChange`), and so does losing it.
 */
export function createConnection(options: {
  binary: string
  socketName: string
  environment: Readonly<Record<string, string>>
  exec: Exec
  /** Milliseconds a command may take, and the control client until it answers. */
  timeout: number
  controlTimeout: number
  log: Log
  onChange: () => void
}): Connection {
  const { binary, socketName, environment, exec, timeout, controlTimeout, log, onChange } = options
  // Each variable is part of the greeting, in which tmux may crash (see apart): also for what
  // people and views do, the less the better.
  const greetingEnvironment = Object.fromEntries(
    Object.entries(environment).filter(([name]) => GREETED.has(name)),
  )
  const serverArgs = ['-u', '-L', socketName, '-f', '/dev/null']
  let client: ControlClient | undefined
  /** Not yet known to answer. */
  let opening: ControlClient | undefined
  let connecting: Promise<void> | undefined
  /** A control client that is on its way in. */
  let greeting: Promise<void> | undefined
  /** What makes a session just now. */
  const making = new Set<Promise<unknown>>()
  let timer: NodeJS.Timeout | undefined
  let failures = 0
  let closed = false

  const run = async (args: readonly string[], input?: string): Promise<Reply> => {
    const result = await exec(binary, [...serverArgs, ...args], {
      cwd: '/',
      env: environment,
      timeout,
      ...(input === undefined ? {} : { input }),
    })
    if (result.startError !== null) throw missing(binary, result.startError)
    if (result.timedOut) return { kind: 'unknown' }
    if (result.exitCode !== 0 && NO_SERVER.test(result.stderr)) return { kind: 'no-server' }
    if (result.exitCode !== 0 && UNREACHED.test(result.stderr)) return { kind: 'unknown' }
    const errors = result.stderr.split('\n').filter((line) => line !== '')
    return {
      kind: 'done',
      lines: result.stdout.replace(/\n$/, '').split('\n'),
      errors: result.exitCode === 0 || errors.length > 0 ? errors : ['failed without a reason'],
    }
  }
  const spawn = (line: string) => run(['source-file', '-'], `${line}\n`)

  const reconnectLater = () => {
    if (closed || timer !== undefined) return
    timer = setTimeout(
      () => {
        timer = undefined
        connect().then(onChange, (error: unknown) => {
          log.debug({ err: error, socketName }, 'the tmux control client could not be started')
          failures += 1
          reconnectLater()
        })
      },
      RECONNECT[Math.min(failures, RECONNECT.length - 1)],
    )
    timer.unref()
  }

  const greet = async () => {
    const child = start(
      binary,
      [
        ...serverArgs,
        // A server that is gone is made again by what opens a pane, with its options.
        '-N',
        '-C',
        'attach-session',
        '-t',
        `=${KEEPER}:`,
        '-f',
        'ignore-size,no-output',
      ],
      {
        cwd: '/',
        env: greetingEnvironment,
      },
    )
    const opened = createControlClient({
      child,
      timeout: controlTimeout,
      onNotification: (line) => {
        if (CHANGES.test(line)) onChange()
      },
      onClose: () => {
        if (client === opened) {
          client = undefined
          log.debug({ socketName }, 'the tmux control client closed')
          onChange()
        }
        reconnectLater()
      },
    })
    opening = opened
    // Input may be read before the client is attached, and then there is no client to subscribe for
    // yet.
    let reply = await opened.request(SUBSCRIBE)
    for (
      const end = performance.now() + timeout;
      reply.kind === 'done' && reply.errors.length > 0 && performance.now() < end;
    ) {
      await delay(ATTACH_POLL)
      reply = await opened.request(SUBSCRIBE)
    }
    if (reply.kind !== 'done' || reply.errors.length > 0 || closed) {
      failures += 1
      opened.close()
      return
    }
    failures = 0
    client = opened
  }

  const connectNow = async () => {
    while (making.size > 0) await Promise.allSettled(making)
    if (closed) return
    greeting = greet().finally(() => (greeting = undefined))
    await greeting
  }

  const connect = async () => {
    if (closed || client?.open === true) return
    connecting ??= connectNow().finally(() => (connecting = undefined))
    await connecting
  }

  const act = async (line: string): Promise<Reply> => {
    const reply = (await client?.request(line)) ?? { kind: 'unsent' as const }
    return reply.kind === 'unsent' ? await spawn(line) : reply
  }

  return {
    act,
    ask: async (line) => {
      const first = await act(line)
      const reply = first.kind === 'unknown' ? await spawn(line) : first
      if (reply.kind === 'unknown') throw silent(socketName, timeout)
      return reply
    },
    spawn,
    run,
    connect,
    apart: async (makeSession) => {
      while (greeting !== undefined) await greeting
      const made = makeSession()
      making.add(made)
      return await made.finally(() => making.delete(made))
    },
    close: () => {
      closed = true
      clearTimeout(timer)
      client?.close()
      // One that hangs would be waited for, and go on till then.
      opening?.close()
    },
  }
}

function missing(binary: string, reason: string): ExomonadError {
  return new ExomonadError(
    'MULTIPLEXER_UNAVAILABLE',
    `${binary} could not be started (${reason}). Install tmux 3.2 or newer, or set [multiplexer] kind = "headless".`,
    { reason },
  )
}

export function silent(socketName: string, timeout: number): ExomonadError {
  return new ExomonadError(
    'MULTIPLEXER_UNAVAILABLE',
    `The tmux server "${socketName}" did not answer within ${String(timeout)} ms. Look at it with \`${command('tmux', '-L', socketName, 'list-panes', '-a')}\`.`,
    { outcome: 'unknown' },
  )
}
