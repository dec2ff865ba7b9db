// The only file that loads the MCP SDK (with server.ts): the daemon imports it at the first client,
// and stays small without any.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Transform } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import {
  localhostHostValidation,
  localhostOriginValidation,
  toNodeHandler,
  type NodeIncomingMessageLike,
} from '@modelcontextprotocol/node'
import { createMcpHandler, type RequestId } from '@modelcontextprotocol/server'
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { parseJson } from '../../domain/formats/parse-json.ts'
import { collectReceipts, type Receipts } from '../receipts.ts'
import { lineSplitter, refusalOf, writtenIn } from './proxy-protocol.ts'
import { createMcpServer, type McpClient, type McpDeps } from './server.ts'

/** The longest message, bytes; the same as on the HTTP surface. */
const MESSAGE_LIMIT = 10 * 1024 * 1024

/**
 * The protocol’s stdio transport on a connection, which ends with it. Calls that run when the
 * client goes are ended. An answer has arrived when it was written to the connection, or, where the
 * other side says what it has written out itself (`saysWritten`), when it said so.
 */
export function serveConnection(
  deps: McpDeps,
  client: McpClient,
  socket: Socket,
  { saysWritten }: { saysWritten: boolean },
): void {
  const open = new Map<RequestId, Receipts>()
  const settle = (id: RequestId): void => {
    open.get(id)?.settle(true)
    open.delete(id)
  }
  const incoming = checkedLines(socket, (line) => {
    const id = saysWritten ? writtenIn(line) : undefined
    if (id !== undefined) settle(id)
  })
  const transport = new StdioServerTransport(incoming, socket, { maxBufferSize: MESSAGE_LIMIT })
  const consumed: McpClient['consumed'] = (id, receipt) => {
    const receipts = open.get(id) ?? collectReceipts(deps.log)
    open.set(id, receipts)
    receipts.take(receipt)
    if (socket.destroyed) receipts.settle(false)
  }
  socket.once('close', () => {
    for (const receipts of open.values()) receipts.settle(false)
    open.clear()
  })
  if (!saysWritten) {
    const send = transport.send.bind(transport)
    transport.send = async (message) => {
      await send(message)
      if ('id' in message && !('method' in message))
        socket.write('', (error) => error == null && message.id !== undefined && settle(message.id))
    }
  }
  const close = transport.close.bind(transport)
  transport.close = async () => {
    await close()
    socket.end()
  }
  serveStdio(() => createMcpServer(deps, { ...client, consumed }), {
    transport,
    onerror: (err) => deps.log.debug({ err }, 'an MCP client on stdio'),
  })
}

/**
 * What a client sends, line by line, for the SDK: that passes over what is no JSON without a word,
 * for which its sender would wait, and takes any depth. `seen` is called with every line.
 */
function checkedLines(socket: Socket, seen: (line: string) => void): Transform {
  const decoder = new StringDecoder('utf8')
  let held = 0
  const take = lineSplitter((line) => {
    seen(line)
    if (line.trim() === '') return
    try {
      parseJson(line)
      lines.push(`${line}\n`)
    } catch (fault) {
      socket.write(`${refusalOf(line, (fault as Error).message)}\n`)
    }
  })
  const lines = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      const end = chunk.lastIndexOf('\n')
      held = end < 0 ? held + chunk.length : chunk.length - end - 1
      if (held > MESSAGE_LIMIT)
        return done(new Error(`a message of more than ${MESSAGE_LIMIT} bytes`))
      take(decoder.write(chunk))
      done()
    },
  })
  socket.once('close', () => lines.destroy())
  return socket.pipe(lines)
}

export type HttpExchange = (
  request: IncomingMessage,
  response: ServerResponse,
  body: unknown,
  client: McpClient,
) => Promise<void>

/**
 * Streamable HTTP without sessions on this side, in the protocols of 2025 and 2026: a client goes
 * on after a restart of the daemon as if nothing had been. Returns are streams with a comment now
 * and then, so that no client’s HTTP library gives up on a long call.
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
