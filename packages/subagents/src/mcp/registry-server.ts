// Loads the MCP SDK: import this file when the first session needs it.
import { randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from '../node-http.ts'
import type { Socket } from 'node:net'
import {
  localhostHostValidation,
  localhostOriginValidation,
  toNodeHandler,
  type NodeIncomingMessageLike,
} from '@modelcontextprotocol/node'
import {
  createMcpHandler,
  Server,
  type jsonSchemaValidator,
  type RequestId,
} from '@modelcontextprotocol/server'
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { createRunningRequests } from './running-requests.ts'
import { anySignal } from '../abort.ts'
import type { ACPToolSource } from '../client/acp-types.ts'
import { inputSchema } from './input-schema.ts'
import { BRIDGE_PROTOCOL } from './bridge-protocol.ts'
import { REGISTRY_SERVER } from '../tools/tool-titles.ts'
import { parseJson } from '../parse-json.ts'

/** The longest message, bytes. */
const MESSAGE_LIMIT = 10 * 1024 * 1024
/**
 * Between signs of life of a call whose client asked for them: clients give up after a minute
 * without. Milliseconds.
 */
const PROGRESS_EVERY = 5000
const SESSION = 'mcp-session-id'

/** What one session of an agent is given to reach a registry by. */
export interface RegistryAccess {
  readonly url: string
  /** Secret: it alone says whose tools are called. */
  readonly token: string
  /** The tools from now on; null: none may be called. What was listed last stays listed. */
  bind(source: ACPToolSource | null): void
  /** The token means nothing any more, and calls under way are aborted. */
  remove(): void
}

/**
 * Registries as MCP servers on 127.0.0.1, on a random port: each behind a token of its own. Over
 * HTTP, and for the bridge as a stream.
 */
export interface RegistryServer {
  add(): RegistryAccess
  /** Ends all connections, and aborts calls under way. */
  close(): Promise<void>
}

interface Served {
  readonly token: Buffer
  readonly ended: AbortController
  readonly running: ReturnType<typeof createRunningRequests>
  source: ACPToolSource | null
  listed: ReturnType<ACPToolSource['definitions']>
}

interface Client {
  readonly served: Served
  readonly signalOf: (id: RequestId) => { readonly signal: AbortSignal; done(): void }
}

const NO_VALIDATOR: jsonSchemaValidator = {
  getValidator: () => {
    throw new Error('nothing is elicited')
  },
}

export async function startRegistryServer(version: string): Promise<RegistryServer> {
  const all = new Set<Served>()
  const upgraded = new Set<Socket>()
  const clients = new WeakMap<object, Client>()
  const handler = createMcpHandler(
    ({ authInfo }) => {
      const client = clients.get(authInfo?.extra ?? {})
      if (client === undefined) throw new Error('an MCP request without its client')
      return mcpServer(client, version)
    },
    { responseMode: 'sse', maxRequestBodySize: MESSAGE_LIMIT },
  )
  const answer = toNodeHandler(handler, { maxRequestBodySize: MESSAGE_LIMIT })
  const hostIsLocal = localhostHostValidation()
  const originIsLocal = localhostOriginValidation()

  const whose = (request: IncomingMessage): Served | undefined => {
    const [scheme, token = ''] = (request.headers.authorization ?? '').split(' ', 2)
    if (scheme?.toLowerCase() !== 'bearer') return undefined
    const given = Buffer.from(token)
    return [...all].find(
      (served) => served.token.length === given.length && timingSafeEqual(served.token, given),
    )
  }

  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    // Against pages that make their own name point here (DNS rebinding).
    if (!hostIsLocal(request, response) || !originIsLocal(request, response)) return
    const served = whose(request)
    if (served === undefined)
      return refuse(
        response,
        401,
        'The token is of no session. Use the one that the session was given.',
      )
    const body = request.method === 'POST' ? await readJson(request) : undefined
    if ((body as { method?: unknown } | undefined)?.method === 'initialize')
      response.setHeader(SESSION, randomUUID())
    // Two clients with one token have the same request ids, so that one without a session of its
    // own cannot cancel.
    const session = request.headers[SESSION]
    const name = typeof session === 'string' ? session : ''
    served.running.cancelNamedIn(name, body)
    const gone = new AbortController()
    response.once('close', () => {
      if (!response.writableFinished) gone.abort(new Error('The agent gave the call up.'))
    })
    const extra = {}
    clients.set(extra, {
      served,
      signalOf: (id) => {
        const call = served.running.begin(name, id)
        return { signal: anySignal(gone.signal, call.signal), done: call.done }
      },
    })
    const known = Object.assign(request, { auth: { token: '', clientId: '', scopes: [], extra } })
    await answer(known as NodeIncomingMessageLike, response, body)
  }

  const server = createServer((request, response) => {
    respond(request, response).catch((thrown: unknown) =>
      refuse(response, 400, thrown instanceof Error ? thrown.message : String(thrown)),
    )
  })
  server.on('upgrade', (request: IncomingMessage, stream, head: Buffer) => {
    const socket = stream as Socket
    socket.on('error', () => {})
    const served = whose(request)
    if (served === undefined || request.headers.upgrade !== BRIDGE_PROTOCOL)
      return void socket.end('HTTP/1.1 401 Unauthorized\r\nConnection: close\r\n\r\n')
    upgraded.add(socket)
    const gone = new AbortController()
    socket.once('close', () => {
      upgraded.delete(socket)
      gone.abort(new Error('The agent gave the call up.'))
    })
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${BRIDGE_PROTOCOL}\r\n\r\n`,
    )
    if (head.length > 0) socket.unshift(head)
    const client: Client = { served, signalOf: () => ({ signal: gone.signal, done: () => {} }) }
    serveStdio(() => mcpServer(client, version), {
      transport: new StdioServerTransport(socket, socket, { maxBufferSize: MESSAGE_LIMIT }),
    })
  })
  await new Promise<void>((resolve, reject) =>
    server.once('error', reject).listen({ port: 0, host: '127.0.0.1' }, resolve),
  )
  // An embedding program ends when it has nothing else to do.
  server.unref()
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0

  return {
    add: () => {
      const token = randomBytes(32).toString('base64url')
      const served: Served = {
        token: Buffer.from(token),
        ended: new AbortController(),
        running: createRunningRequests(),
        source: null,
        listed: [],
      }
      all.add(served)
      return {
        url: `http://127.0.0.1:${port}/mcp`,
        token,
        bind: (source) => {
          if (source !== null) served.listed = source.definitions()
          served.source = source
        },
        remove: () => {
          all.delete(served)
          served.ended.abort(new Error('The session is over.'))
        },
      }
    },
    close: () =>
      new Promise((resolve) => {
        for (const served of all) served.ended.abort(new Error('The client was disposed.'))
        all.clear()
        for (const socket of upgraded) socket.destroy()
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function mcpServer({ served, signalOf }: Client, version: string): Server {
  const server = new Server(
    { name: REGISTRY_SERVER, version },
    { capabilities: { tools: {} }, jsonSchemaValidator: NO_VALIDATOR },
  )
  server.setRequestHandler('tools/list', () => {
    const definitions = served.source?.definitions() ?? served.listed
    return {
      tools: definitions.map(({ name, description, parameters }) => ({
        name,
        description,
        inputSchema: inputSchema(parameters),
      })),
    }
  })
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    if (served.source === null)
      return {
        isError: true,
        content: [
          {
            type: 'text',
            text: 'Nobody answers this call: it came after the turn that the tools are for.',
          },
        ],
      }
    const own = signalOf(mcpReq.id)
    const progressToken = mcpReq._meta?.progressToken
    let progress = 0
    const timer =
      progressToken === undefined
        ? undefined
        : setInterval(() => {
            progress += 1
            mcpReq
              .notify({
                method: 'notifications/progress',
                params: { progressToken, progress, message: `${params.name} goes on` },
              })
              .catch(() => {})
          }, PROGRESS_EVERY)
    try {
      const call = Object.freeze({
        id: `call_${randomUUID()}`,
        name: params.name,
        arguments: Object.freeze({ ...params.arguments }),
      })
      const { output, isError } = await served.source.execute(call, {
        signal: anySignal(mcpReq.signal, own.signal, served.ended.signal),
      })
      return { content: [{ type: 'text', text: output }], ...(isError ? { isError: true } : {}) }
    } catch (thrown) {
      return {
        isError: true,
        content: [
          { type: 'text', text: thrown instanceof Error ? thrown.message : String(thrown) },
        ],
      }
    } finally {
      clearInterval(timer)
      own.done()
    }
  })
  return server
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > MESSAGE_LIMIT) throw new Error('The request is larger than this takes (10 MB).')
    chunks.push(chunk)
  }
  return parseJson(Buffer.concat(chunks).toString('utf8'))
}

function refuse(response: ServerResponse, status: number, message: string): void {
  if (response.headersSent) return void response.destroy()
  const body = JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32000, message } })
  response
    .writeHead(status, {
      'content-type': 'application/json',
      ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
    })
    .end(body)
}
