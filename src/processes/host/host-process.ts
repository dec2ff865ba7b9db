import { rmSync, writeFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import process from 'node:process'
import Database from 'better-sqlite3'
import { sendSignal } from '../../../packages/subagents/src/processes/signal.ts'
import { receive, send } from './framing.ts'
import { hostFiles, type HostNames } from './location.ts'

/** What one connection may do. */
export interface Served {
  /** Handles one request; a throw is sent to the one who asked. */
  answer(verb: string, takes: unknown): unknown
  /** What comes that is no request. */
  other?(message: unknown): void
  closed?(): void
}

export interface Holder {
  /** How many things it holds: with one, the process stays. */
  readonly size: number
  /** Lets go of everything; the process ends. */
  dispose(): void
  serve(connection: { send: (message: object) => void; socket: Socket }): Served
}

/** Milliseconds. */
const IDLE_LIMIT = 10_000
const LINGER_LIMIT = 2000

/**
 * Held as long as the process lives, and freed by the system however it ends. Undefined where
 * another host has it.
 */
function takeLock(path: string): Database.Database | undefined {
  const lock = new Database(path, { timeout: 0 })
  try {
    lock.exec('BEGIN EXCLUSIVE')
    return lock
  } catch {
    lock.close()
    return undefined
  }
}

/**
 * What holds agents’ programs, so that they outlive the daemon: the whole process. One per state
 * folder; another ends at once. It ends by itself when nothing is held and nobody is connected for
 * a while.
 */
export function runHost(options: {
  names: HostNames
  protocol: number
  stateDir: string
  socketPath: string
  hold: (host: { onChange: () => void; complain: (error: unknown) => void }) => Holder
}): void {
  const { names, protocol, stateDir, socketPath } = options
  const files = hostFiles(names, stateDir)
  const lock = takeLock(files.lock)
  if (lock === undefined) return
  const complain = (error: unknown) =>
    process.stderr.write(
      `${new Date().toISOString()} ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    )
  // A fault with one of them must not take all others along.
  process.on('uncaughtException', complain)
  process.on('SIGHUP', () => undefined)

  const connections = new Set<Socket>()
  let idle: NodeJS.Timeout | undefined
  let ending = false

  const holder = options.hold({
    onChange: () => {
      for (const socket of connections) send(socket, { event: 'changed' })
      watchIdle()
    },
    complain,
  })
  const end = () => {
    if (ending) return
    ending = true
    clearTimeout(idle)
    holder.dispose()
    server.close()
    rmSync(socketPath, { force: true })
    rmSync(files.record, { force: true })
    for (const socket of connections) socket.end()
    lock.close()
    // Whatever a native part still holds open must not keep the process.
    setTimeout(() => sendSignal(process.pid, 'SIGKILL'), LINGER_LIMIT).unref()
  }
  const watchIdle = () => {
    clearTimeout(idle)
    if (!ending && holder.size === 0 && connections.size === 0) idle = setTimeout(end, IDLE_LIMIT)
  }

  const answerOf = async (served: Served, verb: string, takes: unknown): Promise<unknown> => {
    if (verb === 'hello') return { protocol, pid: process.pid }
    if (verb === 'shutdown') {
      setImmediate(end)
      return true
    }
    return served.answer(verb, takes)
  }
  const serve = (socket: Socket) => {
    const served = holder.serve({ send: (message) => send(socket, message), socket })
    socket.on('close', () => served.closed?.())
    socket.on('error', () => socket.destroy())
    receive(socket, (message) => {
      const { id, verb, takes } = message as { id?: number; verb?: string; takes?: unknown }
      if (id === undefined || verb === undefined) {
        served.other?.(message)
        return
      }
      answerOf(served, verb, takes).then(
        (gives) => send(socket, { id, gives }),
        (error: unknown) => {
          complain(error)
          send(socket, { id, error: error instanceof Error ? error.message : String(error) })
        },
      )
    })
  }

  const server = createServer((socket) => {
    connections.add(socket)
    clearTimeout(idle)
    socket.on('close', () => {
      connections.delete(socket)
      watchIdle()
    })
    serve(socket)
  })
  server.on('error', (error) => {
    complain(error)
    end()
  })
  rmSync(socketPath, { force: true })
  // The socket is made at once in `listen`; programs that are held must not inherit this mask.
  const mask = process.umask(0o177)
  server.listen(socketPath)
  process.umask(mask)
  writeFileSync(files.record, JSON.stringify({ protocol, pid: process.pid, socket: socketPath }), {
    mode: 0o600,
  })
  process.on('SIGTERM', end)
  watchIdle()
}
