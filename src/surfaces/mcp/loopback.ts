import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from '../../../packages/subagents/src/node-http.ts'
import { asExomonadError } from '../../domain/errors.ts'
import { ERRORS } from '../../domain/error-codes.ts'
import type { Log } from '../../runtime/log.ts'

export const MCP_PATH = '/mcp'

export type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>

export interface LoopbackServer {
  readonly port: number
  /** What agents are given as EXOMONAD_MCP_URL. */
  readonly url: string
  /** Requests that came before are answered from now on. */
  serve(handler: Handler): void
  /** Ends all connections, waiting calls included. */
  close(): Promise<void>
}

/**
 * A connection that rests is closed by the client, which knows whether it is about to send a call:
 * some keep one for minutes, and a call that met the server's end of it would be lost. Milliseconds.
 */
const KEPT_AT_REST = 15 * 60_000

/**
 * HTTP on 127.0.0.1, on the first of these ports that is free, and else on any. It is bound before
 * there is anybody to answer, because the first agents that start are given its address.
 */
export async function listenOnLoopback(
  ports: readonly number[],
  log: Log,
): Promise<LoopbackServer> {
  let ready: (handler: Handler) => void = () => {}
  const handler = new Promise<Handler>((resolve) => (ready = resolve))
  const server = createServer((request, response) => {
    void handler
      .then((handle) => handle(request, response))
      .catch((thrown: unknown) => {
        const error = asExomonadError(thrown)
        if (error.code === 'INTERNAL')
          log.error({ err: error.cause ?? error }, 'an MCP request failed')
        refuse(response, error)
      })
  })
  server.keepAliveTimeout = KEPT_AT_REST
  const listen = (port: number): Promise<number | undefined> =>
    new Promise((resolve) => {
      const failed = (): void => resolve(undefined)
      server.once('error', failed)
      server.listen({ port, host: '127.0.0.1' }, () => {
        server.off('error', failed)
        const address = server.address()
        resolve(typeof address === 'object' && address !== null ? address.port : undefined)
      })
    })
  for (const wanted of [...ports, 0]) {
    const port = await listen(wanted)
    if (port === undefined) {
      log.warn(
        { port: wanted },
        'the port for MCP is taken; agents that were given it must be resumed, or use `exomonad mcp`',
      )
      continue
    }
    return {
      port,
      url: `http://127.0.0.1:${port}${MCP_PATH}`,
      serve: (handle) => ready(handle),
      close: () =>
        new Promise((resolve) => {
          server.close(() => resolve())
          server.closeAllConnections()
        }),
    }
  }
  throw asExomonadError(new Error('no port on 127.0.0.1 can be listened on'))
}

/** As JSON-RPC has errors, with `{error, code, …}` in `data`. Nothing where an answer has begun. */
function refuse(response: ServerResponse, error: ReturnType<typeof asExomonadError>): void {
  if (response.headersSent) return void response.destroy()
  const { status } = ERRORS[error.code]
  const challenge = status === 401 ? { 'www-authenticate': 'Bearer realm="exomonad"' } : {}
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: null,
    error: { code: -32000, message: error.message, data: error.toJSON() },
  })
  response.writeHead(status, { 'content-type': 'application/json', ...challenge }).end(body)
}
