import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { ExomonadError } from '../../domain/errors.ts'
import type { AuthDeps } from '../auth.ts'
import { keyIn } from '../idempotency-key.ts'
import { collectReceipts, settleWithResponse } from '../receipts.ts'
import { identifyOnLoopback } from './identity.ts'
import { MCP_PATH, type Handler } from './loopback.ts'
import { createRunningRequests } from '../../../packages/subagents/src/mcp/running-requests.ts'
import type { McpDeps } from './server.ts'
import type { HttpExchange } from './transports.ts'
import { parseJson } from '../../domain/formats/parse-json.ts'

const BODY_LIMIT = 10 * 1024 * 1024
const SESSION = 'mcp-session-id'

/**
 * Streamable HTTP: a token first, then everything else. The SDK is loaded for the first request
 * that has one.
 */
export function createMcpOverHttp(deps: McpDeps & { auth: AuthDeps }): Handler {
  const running = createRunningRequests()
  let exchange: Promise<HttpExchange> | undefined
  return async (request, response) => {
    const caller = await identifyOnLoopback(deps.auth, request.headers)
    if (request.url?.split('?', 1)[0] !== MCP_PATH)
      throw new ExomonadError('INVALID_ARG', `MCP is at ${MCP_PATH}, and nothing else is here.`)
    const body = request.method === 'POST' ? await readJson(request) : undefined
    exchange ??= import('./transports.ts').then(({ createHttpExchange }) =>
      createHttpExchange(deps),
    )
    // A name that distinguishes clients of one agent, accepted whatever it is: no client has to
    // begin anew after a restart of the daemon.
    if (isInitialize(body)) response.setHeader(SESSION, randomUUID())
    const session = request.headers[SESSION]
    const client =
      typeof session === 'string' && session !== '' ? `${caller.agent.id} ${session}` : ''
    running.cancelNamedIn(client, body)
    const gone = goneSignal(response)
    const receipts = collectReceipts(deps.log)
    settleWithResponse(receipts, response)
    await (
      await exchange
    )(request, response, body, {
      identify: () => identifyOnLoopback(deps.auth, request.headers),
      key: keyIn(request.headers),
      consumed: (_id, receipt) => receipts.take(receipt),
      signalOf: (id) => {
        const call = running.begin(client, id)
        return { signal: AbortSignal.any([gone, call.signal]), done: call.done }
      },
    })
  }
}

const isInitialize = (body: unknown): boolean =>
  (body as { method?: unknown } | undefined)?.method === 'initialize'

/**
 * Aborted when the client goes before it has its whole answer. Streams are not resumed here, so
 * what it has not got by then never reaches it.
 */
function goneSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) controller.abort(new Error('the client went away'))
  })
  return controller.signal
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > BODY_LIMIT)
      throw new ExomonadError(
        'INVALID_ARG',
        'The request is larger than this takes (10 MB). Send less, or point to a file.',
      )
    chunks.push(chunk)
  }
  try {
    return parseJson(Buffer.concat(chunks).toString('utf8'))
  } catch (cause) {
    throw new ExomonadError(
      'INVALID_ARG',
      `The body is not JSON: ${(cause as Error).message}.`,
      {},
      { cause },
    )
  }
}
