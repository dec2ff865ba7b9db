// The only file that loads the MCP SDK (with server.ts): the daemon imports it at the first client, and stays small without any.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { localhostHostValidation, localhostOriginValidation, toNodeHandler, type NodeIncomingMessageLike } from '@modelcontextprotocol/node'
import { createMcpHandler } from '@modelcontextprotocol/server'
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { createMcpServer, type McpClient, type McpDeps } from './server.ts'

/** The longest message, bytes; the same as on the HTTP surface. */
const MESSAGE_LIMIT = 10 * 1024 * 1024

/** The protocol’s stdio transport on a connection, which ends with it. Calls that run when the client goes are ended. */
export function serveConnection(deps: McpDeps, client: McpClient, socket: Socket): void {
  const transport = new StdioServerTransport(socket, socket, { maxBufferSize: MESSAGE_LIMIT })
  const close = transport.close.bind(transport)
  transport.close = async () => {
    await close()
    socket.end()
  }
  serveStdio(() => createMcpServer(deps, client), { transport, onerror: (err) => deps.log.debug({ err }, 'an MCP client on stdio') })
}

export type HttpExchange = (request: IncomingMessage, response: ServerResponse, body: unknown, client: McpClient) => Promise<void>

/**
 * Streamable HTTP without sessions on this side, in the protocols of 2025 and 2026: a client goes on after a restart of the daemon as if
 * nothing had been. Answers are streams with a comment now and then, so that no client’s HTTP library gives up on a long call.
 */
export function createHttpExchange(deps: McpDeps): HttpExchange {
  const clients = new WeakMap<object, McpClient>()
  const onerror = (err: Error): void => deps.log.debug({ err }, 'an MCP client over HTTP')
  const handler = createMcpHandler(
    ({ authInfo }) => {
      const client = clients.get(authInfo?.extra ?? {})
      if (client === undefined) throw new Error('an MCP request without its client')
      return createMcpServer(deps, client)
    },
    { responseMode: 'sse', maxRequestBodySize: MESSAGE_LIMIT, onerror },
  )
  const answer = toNodeHandler(handler, { onerror, maxRequestBodySize: MESSAGE_LIMIT })
  const hostIsLocal = localhostHostValidation()
  const originIsLocal = localhostOriginValidation()
  return async (request, response, body, client) => {
    // Against pages that make their own name point here (DNS rebinding).
    if (!hostIsLocal(request, response) || !originIsLocal(request, response)) return
    const extra = {}
    clients.set(extra, client)
    const known = Object.assign(request, { auth: { token: '', clientId: '', scopes: [], extra } })
    await answer(known as NodeIncomingMessageLike, response, body)
  }
}
