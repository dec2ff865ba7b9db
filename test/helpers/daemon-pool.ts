import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import process from 'node:process'
import type { Order } from '../fixtures/pooled-daemon.ts'
import type { DaemonProcess } from '../../src/surfaces/cli/host.ts'
import { COMPILED, DAEMON_FLAGS } from './programs.ts'

/**
 * Processes for daemons that are used again: a daemon's start costs 600 ms of the processor in a
 * new process, most of it for loading and compiling its program, and a quarter of that in one that
 * had a daemon before. One daemon at a time is in each; whatever ends one by a signal ends its
 * process, and the next daemon gets another. So it matters to a test only for what a process keeps
 * when a daemon has been stopped: nothing but its program.
 */

interface Pooled {
  readonly child: ChildProcess
  readonly ended: Promise<number | null>
}

const PROGRAM = join(import.meta.dirname, '..', 'fixtures', 'pooled-daemon.ts')
/** So many daemons at most run in one process, for what each leaves on its heap. */
const USES = 40
/** As long as a test waits for the end of any other daemon. Milliseconds. */
const STOP_LIMIT = 50_000

const free: { pooled: Pooled; uses: number }[] = []
/** By process id. */
const busy = new Map<number, { pooled: Pooled; uses: number }>()

/** As `Host.startDaemonProcess`, with exactly this environment. */
export function startPooledDaemon(options: {
  cwd: string
  env: Readonly<Record<string, string>>
  output: string
}): DaemonProcess {
  const used = free.pop() ?? { pooled: startProcess(), uses: 0 }
  const { child, ended } = used.pooled
  const pid = child.pid ?? 0
  busy.set(pid, { ...used, uses: used.uses + 1 })
  void ended.then(() => busy.delete(pid))
  tell(child, { order: 'start', ...options })
  return { pid, ended }
}

/**
 * Ends the daemon in this process as SIGTERM does, and keeps the process for the next one. False
 * where none is in it that was started here; throws where it does not end.
 */
export async function stopPooledDaemon(pid: number): Promise<boolean> {
  const used = busy.get(pid)
  if (used === undefined) return false
  const { child, ended } = used.pooled
  const stopped = once(child, 'message', { signal: AbortSignal.timeout(STOP_LIMIT) })
  tell(child, { order: 'stop' })
  const isOver = await Promise.race([stopped.then(() => false), ended.then(() => true)])
  busy.delete(pid)
  if (isOver) return true
  if (used.uses < USES) free.push(used)
  else child.kill()
  return true
}

function startProcess(): Pooled {
  const child = fork(PROGRAM, {
    cwd: '/',
    detached: true,
    env: {
      PATH: process.env['PATH'] ?? '',
      NODE_COMPILE_CACHE: COMPILED,
      npm_lifecycle_event: process.env['npm_lifecycle_event'] ?? '',
    },
    execArgv: DAEMON_FLAGS,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  // Neither keeps the tests from their end: it ends with them.
  child.unref()
  child.channel?.unref()
  const ended = new Promise<number | null>((resolve) => {
    child.once('exit', (code) => {
      const index = free.findIndex(({ pooled }) => pooled.child === child)
      if (index !== -1) free.splice(index, 1)
      resolve(code)
    })
  })
  return { child, ended }
}

/** It may just be ending: that is seen by its end. */
const tell = (child: ChildProcess, order: Order): void => {
  if (child.connected) child.send(order, () => undefined)
}
