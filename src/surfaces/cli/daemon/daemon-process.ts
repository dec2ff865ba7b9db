import { mkdir, readFile, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ExomonadError } from '../../../domain/errors.ts'
import type { Paths } from '../../../runtime/paths.ts'
import { errorFromAnswer } from '../../client.ts'
import { askHealth, readHealth, type Health } from './health.ts'
import type { Host } from '../host.ts'
import { parseJson } from '../../../domain/formats/parse-json.ts'

export interface DaemonSubject {
  readonly paths: Paths
  readonly socket: string
  readonly host: Pick<Host, 'startDaemonProcess'>
}

/** How long a daemon may take to answer, and to end. Milliseconds. */
const START_LIMIT = 20_000
const STOP_LIMIT = 20_000
const POLL = 20

/** What a daemon that was started in the background printed. */
export const daemonOutput = (paths: Paths): string => join(paths.state, 'logs', 'daemon.out')

/**
 * The daemon of the repository, started where it isn’t running. Throws what kept it from starting.
 */
export async function ensureDaemon(
  subject: DaemonSubject,
): Promise<{ health: Health; started: boolean }> {
  const running = await readHealth(subject.socket)
  return running === null
    ? { health: await startDaemon(subject), started: true }
    : { health: running, started: false }
}

async function startDaemon(subject: DaemonSubject): Promise<Health> {
  const kept = daemonOutput(subject.paths)
  // One of our own: several may start at once, and only one of them becomes the daemon.
  const output = `${kept}.${process.pid}`
  await mkdir(dirname(output), { recursive: true, mode: 0o700 })
  try {
    return await startAndWait(subject, output)
  } finally {
    await rename(output, kept).catch(() => undefined)
  }
}

async function startAndWait(subject: DaemonSubject, output: string): Promise<Health> {
  const deadline = Date.now() + START_LIMIT
  for (;;) {
    const child = await subject.host.startDaemonProcess({ cwd: subject.paths.home, output })
    let ended = false
    void child.ended.then(() => (ended = true))
    while (Date.now() < deadline) {
      const health = await readHealth(subject.socket, 1000)
      if (health !== null) return health
      if (ended) break
      await pause()
    }
    const failure = await startFailure(output)
    // Another one holds the lock: it is about to answer, or about to end and let go.
    if (failure.code !== 'ALREADY_RUNNING' || Date.now() >= deadline) throw failure
    await pause()
  }
}

/**
 * The error that the daemon printed as its last line (bin/daemon.ts), or its last lines as
 * they are.
 */
async function startFailure(output: string): Promise<ExomonadError> {
  const lines = (await readFile(output, 'utf8').catch(() => ''))
    .trimEnd()
    .split('\n')
    .filter((line) => line !== '')
  for (const line of lines.toReversed()) {
    try {
      const body = parseJson(line) as Record<string, unknown>
      if (typeof body['error'] === 'string' && typeof body['code'] === 'string')
        return errorFromAnswer(body, 500)
    } catch {
      // A line in words.
    }
  }
  const end = lines.slice(-15).join('\n')
  return new ExomonadError(
    'DAEMON_UNAVAILABLE',
    `The daemon did not start.${end === '' ? '' : ` Its last words:\n${end}\n`} More may be in \`exomonad daemon logs\`.`,
    {
      output,
    },
  )
}

/** Ends the daemon and waits until it is gone; agents go on. Null where none was running. */
export async function stopDaemon(
  host: Pick<Host, 'signal' | 'isRunning'>,
  socket: string,
): Promise<{ pid: number } | null> {
  const health = await healthOfRunning(socket)
  if (health === null) return null
  // Nobody: it ended after it had answered, because somebody else stopped it, too.
  host.signal(health.pid, 'SIGTERM')
  const deadline = Date.now() + STOP_LIMIT
  while (Date.now() < deadline) {
    if (!(await host.isRunning(health.pid))) return { pid: health.pid }
    await pause()
  }
  throw new ExomonadError(
    'DAEMON_UNAVAILABLE',
    `The daemon (process ${health.pid}) was asked to stop and still runs after ${STOP_LIMIT / 1000} s.`,
    {
      pid: health.pid,
    },
  )
}

/**
 * Null where nobody listens. One that is busy, beginning or ending is waited for: it is not one
 * that isn’t there.
 */
async function healthOfRunning(socket: string): Promise<Health | null> {
  const deadline = Date.now() + STOP_LIMIT
  for (let left = STOP_LIMIT; left > 0; left = deadline - Date.now()) {
    const answer = await askHealth(socket, left)
    if (answer === 'absent') return null
    if (answer !== 'silent') return answer
    await pause()
  }
  throw new ExomonadError(
    'DAEMON_UNAVAILABLE',
    `The daemon did not answer within ${STOP_LIMIT / 1000} s and was not stopped. Is its process suspended?`,
    {
      socket,
    },
  )
}

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, POLL))
