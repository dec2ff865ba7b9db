import { rmSync, writeFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import process from 'node:process'
import Database from 'better-sqlite3'
import { serveConnection } from './host-connection.ts'
import { createHostedPanes } from './hosted-panes.ts'
import { hostFiles } from './location.ts'
import { PROTOCOL, send } from './protocol.ts'

/**
 * The process that holds the terminals, so that they outlive the daemon. Started by the headless adapter:
 * `node host.js STATE_FOLDER SOCKET`. One per state folder; ends by itself when nothing is open and nobody is connected for a while.
 */

/** Milliseconds. */
const IDLE_LIMIT = 10_000

/** Held as long as the process lives, and freed by the system however it ends. Undefined where another host has it. */
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

function runHost(stateDir: string, socketPath: string): void {
  const files = hostFiles(stateDir)
  const lock = takeLock(files.lock)
  if (lock === undefined) return
  const complain = (error: unknown) =>
    process.stderr.write(`${new Date().toISOString()} ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
  // A fault with one terminal must not take the agents in all others along.
  process.on('uncaughtException', complain)
  process.on('SIGHUP', () => undefined)

  const connections = new Set<Socket>()
  let idle: NodeJS.Timeout | undefined
  let ending = false

  const panes = createHostedPanes({
    now: Date.now,
    onChange: () => {
      for (const socket of connections) send(socket, { event: 'changed' })
      watchIdle()
    },
  })
  const end = () => {
    if (ending) return
    ending = true
    clearTimeout(idle)
    for (const { paneId } of panes.list()) panes.remove(paneId)
    server.close()
    rmSync(socketPath, { force: true })
    rmSync(files.record, { force: true })
    for (const socket of connections) socket.end()
    lock.close()
    // Whatever a native part still holds open must not keep the process.
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), 2000).unref()
  }
  const watchIdle = () => {
    clearTimeout(idle)
    if (!ending && panes.size === 0 && connections.size === 0) idle = setTimeout(end, IDLE_LIMIT)
  }

  const server = createServer((socket) => {
    connections.add(socket)
    clearTimeout(idle)
    socket.on('close', () => {
      connections.delete(socket)
      watchIdle()
    })
    serveConnection(socket, { panes, pid: process.pid, onShutdown: () => setImmediate(end), onError: complain })
  })
  server.on('error', (error) => {
    complain(error)
    end()
  })
  rmSync(socketPath, { force: true })
  // The socket is made at once in `listen`; programs in the panes must not inherit this mask.
  const mask = process.umask(0o177)
  server.listen(socketPath)
  process.umask(mask)
  writeFileSync(files.record, JSON.stringify({ protocol: PROTOCOL, pid: process.pid, socket: socketPath }), { mode: 0o600 })
  process.on('SIGTERM', end)
  watchIdle()
}

const [stateDir, socketPath] = process.argv.slice(2)
if (stateDir !== undefined && socketPath !== undefined) runHost(stateDir, socketPath)
