import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { connect as connectSecurely } from 'node:tls'
import { createServer, request } from '../../../../packages/subagents/src/node-http.ts'
import { join } from './forward.ts'
import { isAllowed, type AllowedHost } from '../../../domain/formats/allowed-hosts.ts'

interface Target {
  readonly host: string
  readonly port: number
}

/**
 * An HTTP proxy (RFC 9110, CONNECT and absolute addresses) that reaches the allowed hosts and no
 * others, through the person’s own proxy where there is one. Names are looked up here: the programs
 * behind it have no network, and so no DNS.
 */
export function createProxy(options: {
  readonly allowed: readonly AllowedHost[]
  /** Address of the person’s own proxy. */
  readonly upstream: string | undefined
}): Server {
  const { allowed } = options
  const upstream =
    options.upstream !== undefined && URL.canParse(options.upstream)
      ? new URL(options.upstream)
      : undefined
  const server = createServer((asked, answer) => pass(asked, answer, allowed, upstream))
  server.on('connection', (socket) => socket.unref())
  server.on('connect', (asked: IncomingMessage, client: Socket, head: Buffer) => {
    client.on('error', () => client.destroy())
    const target = targetOf(asked.url ?? '')
    if (target === undefined || !isAllowed(allowed, target)) {
      client.end(refusal(asked.url ?? ''))
      return
    }
    const begin = (remote: Socket): void => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      if (head.length > 0) remote.write(head)
      join(client, remote)
    }
    const failed = (): void => {
      client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
    }
    if (upstream !== undefined) connectThrough(upstream, target).then(begin, failed)
    else {
      const remote = connect(target, () => begin(remote))
      remote.once('error', failed)
    }
  })
  return server
}

/** `host:port`, the host in brackets where it is an IPv6 address. */
function targetOf(authority: string): Target | undefined {
  const [, host, port] = /^(\[[0-9a-f:.]+\]|[^:\s[\]]+):(\d{1,5})$/i.exec(authority) ?? []
  return host === undefined ? undefined : { host: host.replace(/^\[|\]$/g, ''), port: Number(port) }
}

const explain = (what: string): string =>
  `exomonad: this agent has no network but what is let through, and ${what.slice(0, 200)} is not. A person can add it to [sandbox] allow_hosts.\n`

const refusal = (what: string): string => {
  const text = explain(what)
  return `HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\nContent-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`
}

/** A request with an absolute address, of a program that speaks plain HTTP. */
function pass(
  asked: IncomingMessage,
  answer: ServerResponse,
  allowed: readonly AllowedHost[],
  upstream: URL | undefined,
): void {
  const url = URL.canParse(asked.url ?? '') ? new URL(asked.url ?? '') : undefined
  const target =
    url?.protocol === 'http:'
      ? { host: url.hostname, port: url.port === '' ? 80 : Number(url.port) }
      : undefined
  if (url === undefined || target === undefined || !isAllowed(allowed, target)) {
    answer.writeHead(403, { 'content-type': 'text/plain' }).end(explain(asked.url ?? ''))
    return
  }
  const { 'proxy-connection': _, 'proxy-authorization': __, ...headers } = asked.headers
  const outgoing = request(
    upstream === undefined
      ? { ...target, path: `${url.pathname}${url.search}`, method: asked.method, headers }
      : {
          host: upstream.hostname,
          port: portOf(upstream),
          path: url.href,
          method: asked.method,
          headers: { ...headers, ...credentials(upstream) },
        },
    (received) => {
      answer.writeHead(received.statusCode ?? 502, received.headers)
      received.pipe(answer)
    },
  )
  outgoing.on('socket', (socket) => socket.unref())
  outgoing.on('error', () => {
    if (!answer.headersSent) answer.writeHead(502)
    answer.end()
  })
  asked.pipe(outgoing)
}

const portOf = ({ port, protocol }: URL): number =>
  port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)

const credentials = ({ username, password }: URL): Record<string, string> =>
  username === ''
    ? {}
    : {
        'Proxy-Authorization': `Basic ${Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')}`,
      }

/** A tunnel to the target, made by another proxy. */
function connectThrough(upstream: URL, { host, port }: Target): Promise<Socket> {
  const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`
  return new Promise((resolve, reject) => {
    const outgoing = request({
      host: upstream.hostname,
      port: portOf(upstream),
      method: 'CONNECT',
      path: authority,
      headers: { host: authority, ...credentials(upstream) },
      ...(upstream.protocol === 'https:' && {
        createConnection: () =>
          connectSecurely({
            host: upstream.hostname,
            port: portOf(upstream),
            servername: upstream.hostname,
          }),
      }),
    })
    outgoing.on('error', reject)
    outgoing.on('connect', (received, socket, head) => {
      // What came together with the answer.
      if (head.length > 0) socket.unshift(head)
      if (received.statusCode === 200) resolve(socket)
      else {
        socket.destroy()
        reject(new Error(`the proxy says ${received.statusCode}`))
      }
    })
    outgoing.end()
  })
}
