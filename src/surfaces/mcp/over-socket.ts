import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { AuthDeps } from '../auth.ts'
import { identifyAgent } from './identity.ts'
import { SAYS_WRITTEN, STDIO_PATH, STDIO_PROTOCOL } from './proxy-protocol.ts'
import type { McpDeps } from './server.ts'

/**
 * `GET /v1/mcp` with `Upgrade: mcp-stdio` on the daemon’s socket: from then on the connection
 * carries what `exomonad mcp` has on its stdio.
 */
export const mcpUpgrade = (deps: McpDeps & { auth: AuthDeps }) => ({
  path: STDIO_PATH,
  protocol: STDIO_PROTOCOL,
  accept: async (request: IncomingMessage, socket: Socket, head: Buffer): Promise<void> => {
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
  },
})
