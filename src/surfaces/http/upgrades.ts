import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { WebSocket, WebSocketServer } from 'ws'
import type { Caller } from '../../domain/caller.ts'
import { asExomonadError, ExomonadError } from '../../domain/errors.ts'
import type { Log } from '../../runtime/log.ts'
import { rawAnswer } from '../http-errors.ts'

/** What asks to become a WebSocket. */
export interface WebSocketRequest {
  readonly caller: Caller
  /** What stands where the path has `:name`, decoded. */
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly message: IncomingMessage
}

/**
 * One row: GET of this path may become this protocol. `:name` in the path stands for any one part.
 */
export type Upgrade = { readonly path: string } & (
  | {
      /** As the header `Upgrade` says it. */
      readonly protocol: string
      /** Identifies who asks, and answers on the socket itself. What it throws is the answer. */
      accept(message: IncomingMessage, socket: Socket, head: Buffer): Promise<void>
    }
  | {
      readonly protocol: 'websocket'
      /** Before the handshake. What it throws is the answer; what it returns has the socket. */
      admit(request: WebSocketRequest): Promise<(socket: WebSocket) => void>
    }
)

export interface Upgrades {
  /** For the event `upgrade` of a further listener of the same daemon. Never rejects. */
  handle(message: IncomingMessage, socket: Socket, head: Buffer): Promise<void>
}

const MAX_MESSAGE = 1024 * 1024
/** Milliseconds in which the other side has to show that it is there. */
const HEARTBEAT = 15_000

/**
 * All that connections of this server can become. Those that are open end with the server, and a
 * WebSocket also when its other side has not answered a ping for one heartbeat.
 */
export function installUpgrades(
  fastify: FastifyInstance,
  upgrades: readonly Upgrade[],
  deps: {
    readonly identify: (message: IncomingMessage) => Promise<Caller>
    readonly log: Log
    /** Milliseconds; 15,000. */
    readonly heartbeat?: number
  },
): Upgrades {
  const open = new Set<Socket>()
  let server: Promise<WebSocketServer> | undefined
  fastify.addHook('preClose', () => {
    for (const socket of open) socket.destroy()
  })

  const accept = async (message: IncomingMessage, socket: Socket, head: Buffer): Promise<void> => {
    const url = URL.parse(message.url ?? '/', 'http://localhost')
    const protocol = message.headers.upgrade?.toLowerCase()
    for (const upgrade of upgrades) {
      const params = url === null ? undefined : paramsOf(upgrade.path, url.pathname)
      if (url === null || params === undefined || upgrade.protocol !== protocol) continue
      if ('accept' in upgrade) return await upgrade.accept(message, socket, head)
      const caller = await deps.identify(message)
      const serve = await upgrade.admit({ caller, params, query: url.searchParams, message })
      server ??= import('ws').then(({ WebSocketServer }) => createServer(WebSocketServer))
      const webSockets = await server
      if (socket.destroyed) return
      webSockets.handleUpgrade(message, socket, head, (webSocket) => {
        // What the other side does wrong ends the connection, and is nobody's failure here.
        webSocket.on('error', () => {})
        endWhereSilent(webSocket, deps.heartbeat ?? HEARTBEAT)
        serve(webSocket)
      })
      return
    }
    const known = upgrades.map(({ path, protocol }) => `GET ${path} to ${protocol}`)
    throw new ExomonadError('INVALID_ARG', `What can be upgraded here: ${known.join('; ')}.`)
  }
  const handle = async (message: IncomingMessage, socket: Socket, head: Buffer): Promise<void> => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    // A client that breaks off is an end like any other.
    socket.on('error', () => {})
    try {
      await accept(message, socket, head)
    } catch (thrown) {
      const error = asExomonadError(thrown)
      if (error.code === 'INTERNAL')
        deps.log.error({ err: error.cause ?? error }, 'an upgrade of a connection failed')
      if (socket.writable) socket.end(rawAnswer(error))
    }
  }
  fastify.server.on('upgrade', (message: IncomingMessage, socket, head: Buffer) => {
    void handle(message, socket as Socket, head)
  })
  return { handle }
}

/** Undefined where the path is another. */
function paramsOf(pattern: string, path: string): Record<string, string> | undefined {
  const [wanted, found] = [pattern.split('/'), path.split('/')]
  if (wanted.length !== found.length) return undefined
  const params: Record<string, string> = {}
  for (const [index, part] of wanted.entries()) {
    const value = found[index] ?? ''
    if (part.startsWith(':')) {
      const decoded = decode(value)
      if (decoded === undefined || decoded === '') return undefined
      params[part.slice(1)] = decoded
    } else if (part !== value) return undefined
  }
  return params
}

function decode(part: string): string | undefined {
  try {
    return decodeURIComponent(part)
  } catch {
    return undefined
  }
}

const createServer = (Server: typeof WebSocketServer): WebSocketServer =>
  // What goes over it comes from this machine, or through an SSH that compresses.
  new Server({ noServer: true, clientTracking: false, maxPayload: MAX_MESSAGE })

/** A machine that sleeps, or a proxy that lost the other side, says nothing of it. */
function endWhereSilent(webSocket: WebSocket, heartbeat: number): void {
  let answered = true
  webSocket.on('pong', () => (answered = true))
  const timer = setInterval(() => {
    if (!answered) return webSocket.terminate()
    answered = false
    webSocket.ping()
  }, heartbeat)
  timer.unref()
  webSocket.on('close', () => clearInterval(timer))
}
