import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { asExomonadError, ExomonadError } from '../../domain/errors.ts'
import type { AuthDeps } from '../auth.ts'
import { rawAnswer } from '../http-errors.ts'
import { identifyAgent } from './identity.ts'
import { SAYS_WRITTEN, STDIO_PATH, STDIO_PROTOCOL } from './proxy-protocol.ts'
import type { McpDeps } from './server.ts'

/**
 * `GET /v1/mcp` with `Upgrade: mcp-stdio` on the daemon’s socket: from then on the connection
 * carries what `exomonad mcp` has on its stdio.
 */
export function installMcpUpgrade(
  fastify: FastifyInstance,
  deps: McpDeps & { auth: AuthDeps },
): void {
  const open = new Set<Socket>()
  fastify.addHook('preClose', () => {
    for (const socket of open) socket.destroy()
  })
  fastify.server.on('upgrade', (request: IncomingMessage, stream, head: Buffer) => {
    const socket = stream as Socket
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    // A client that breaks off is an end like any other.
    socket.on('error', () => {})
    accept(request, socket, head).catch((thrown: unknown) => {
      const error = asExomonadError(thrown)
      if (error.code === 'INTERNAL')
        deps.log.error({ err: error.cause ?? error }, 'an MCP connection failed')
      if (socket.writable) socket.end(rawAnswer(error))
    })
  })

  async function accept(request: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    if (request.url !== STDIO_PATH || request.headers.upgrade?.toLowerCase() !== STDIO_PROTOCOL) {
      throw new ExomonadError(
        'INVALID_ARG',
        `Only GET ${STDIO_PATH} can be upgraded, to ${STDIO_PROTOCOL}.`,
      )
    }
    const client = { identify: () => identifyAgent(deps.auth, request.headers) }
    await client.identify()
    const { serveConnection } = await import('./transports.ts')
    if (socket.destroyed) return
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${STDIO_PROTOCOL}\r\n\r\n`,
    )
    if (head.length > 0) socket.unshift(head)
    serveConnection(deps, client, socket, {
      saysWritten: request.headers[SAYS_WRITTEN] !== undefined,
    })
  }
}
