import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { join } from 'node:path'
import cookies from '@fastify/cookie'
import staticFiles from '@fastify/static'
import createFastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import { z } from 'zod'
import { asExomonadError, ExomonadError } from '../../domain/errors.ts'
import type { Log } from '../../runtime/log.ts'
import { vouchFor } from '../auth.ts'
import { answerError, fromFastify, installErrors, rawAnswer } from '../http-errors.ts'
import { parseInput } from '../parse-input.ts'
import { isBelow, isForView, isMalformed } from './addresses.ts'
import { pageKeyOf, refuseOtherOrigin, requireKnownHost, requireOwnOrigin } from './guard.ts'
import type { Session, Sessions } from './sessions.ts'

export interface Listener {
  readonly port: number
  /** Ends all connections, open terminals included. */
  close(): Promise<void>
}

export interface ListenerDeps {
  readonly sessions: Sessions
  /** The daemon’s HTTP surface, which answers what a page that was let in asks. */
  readonly api: FastifyInstance
  /** Folder with the built page. */
  readonly files: string
  /** Further names that it is reached by. */
  readonly hosts: () => readonly string[]
  /** What is to be kept of the sessions has been written, as far as can be. */
  readonly kept: () => Promise<void>
  readonly log: Log
}

/** Who can reach the port (any user of this machine) takes no more of the daemon than this. */
const MOST_CONNECTIONS = 256
/** Milliseconds in which a request has to be there, and between two looks at that. */
const REQUEST_TIME = 60_000
const CHECK_EVERY = 10_000

const ASSETS = '/assets/'
const INDEX = 'index.html'
const TREE = '/v1/tree/changes'
/** As the page asks for it (web/src/live/tree.ts), so that it takes this answer. */
const TREE_BESIDE = `<${TREE}>; rel=preload; as=fetch; crossorigin`

/**
 * Everything comes from here, nothing is evaluated, and no text becomes markup or a script:
 * whatever agents wrote is data. Styles alone may stand inline, for the terminal’s cells.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/** Where there is no reply to answer with. Who goes on sending, or says nothing more, is let go. */
function refuse(socket: Duplex, error: ExomonadError): void {
  socket.end(rawAnswer(error, HEADERS), () => socket.destroy())
}

/**
 * The page on 127.0.0.1: its files, the link that lets a browser in, and the daemon’s own API for
 * those it let in. On the first of these ports that is free; undefined where none is.
 */
export async function listen(
  deps: ListenerDeps,
  ports: readonly number[],
): Promise<Listener | undefined> {
  for (const port of ports) {
    const fastify = await createListener(deps)
    try {
      await fastify.listen({ port, host: '127.0.0.1' })
    } catch (thrown) {
      await fastify.close()
      const { code } = thrown as NodeJS.ErrnoException
      if (code !== 'EADDRINUSE' && code !== 'EACCES') throw thrown
      deps.log.warn({ port, code }, 'the port for the page can’t be listened on')
      continue
    }
    const address = fastify.server.address()
    if (typeof address !== 'object' || address === null) throw new Error('no address')
    return { port: address.port, close: () => fastify.close() }
  }
  return undefined
}

async function createListener(deps: ListenerDeps): Promise<FastifyInstance> {
  const { sessions, api, hosts, log } = deps
  // It names the files of the page, whose names change with what is in them.
  const index = await readFile(join(deps.files, INDEX))
  const build = createHash('sha256').update(index).digest('base64url')
  const fastify = createFastify({
    forceCloseConnections: true,
    requestTimeout: REQUEST_TIME,
    // The page says that there is no such view, as of every address that it does not know.
    rewriteUrl: (request) =>
      isForView(request) && isMalformed(request.url ?? '') ? '/' : (request.url ?? '/'),
    http: { connectionsCheckingInterval: CHECK_EVERY, headersTimeout: REQUEST_TIME },
    frameworkErrors: (error, _request, reply) =>
      answerError(
        (reply as unknown as FastifyReply).headers(HEADERS),
        fromFastify(error) ?? asExomonadError(error),
      ),
    clientErrorHandler: (error, socket) => {
      if (error.code !== 'ECONNRESET' && socket.writable)
        refuse(socket, new ExomonadError('INVALID_ARG', `This is no request: ${error.message}.`))
      else socket.destroy()
    },
  })
  fastify.server.maxConnections = MOST_CONNECTIONS
  installErrors(fastify, log)
  await fastify.register(cookies)
  const nameOfCookie = (): string => {
    const address = fastify.server.address()
    // Browsers send cookies to every port of a host: each daemon has a name of its own.
    return `exomonad_${typeof address === 'object' && address !== null ? address.port : 0}`
  }
  const cookieOf = (request: IncomingMessage): string =>
    fastify.parseCookie(request.headers.cookie ?? '')[nameOfCookie()] ?? ''
  const sessionOf = (request: IncomingMessage): Session => {
    const session = sessions.find(cookieOf(request))
    // A browser asks for the tree beside the page’s script, which has the key.
    const isBeside = request.method === 'GET' && request.url === TREE
    if (session !== undefined && (isBeside || session.isPage(pageKeyOf(request)))) return session
    throw new ExomonadError(
      'UNAUTHORIZED',
      session === undefined
        ? 'This browser has no link to the daemon, or the one it had is too old. `exomonad web` opens a new one.'
        : 'This is not the page that a link was opened in: it has the cookie, and not what went with it. `exomonad web` opens a new one.',
    )
  }
  const letIn = (reply: FastifyReply, opened: { cookie: string; expiresAt: number }) =>
    reply.setCookie(nameOfCookie(), opened.cookie, {
      httpOnly: true,
      // Behind a proxy that ends TLS; on loopback there is none.
      secure: reply.request.headers['x-forwarded-proto'] === 'https',
      sameSite: 'strict',
      path: '/',
      // By no clock: the browser’s may be another machine’s.
      maxAge: Math.ceil((opened.expiresAt - Date.now()) / 1000),
    })

  fastify.addHook('onRequest', async (request, reply) => {
    reply.headers(HEADERS)
    requireKnownHost(request.raw, hosts())
  })

  // Not for HEAD, which programs ask to look at an address: it would use the link up.
  fastify.get('/open', { exposeHeadRoute: false }, (request, reply) => {
    const { token } = request.query as { token?: unknown }
    const opened =
      typeof token === 'string' ? sessions.open(token, cookieOf(request.raw)) : undefined
    void reply.header('cache-control', 'no-store')
    // The page says what became of it, and how to get another link.
    if (opened === undefined) return reply.redirect('/?link=used', 303)
    // What stands there is sent nowhere.
    return letIn(reply, opened).redirect(`/#page=${opened.page}`, 303)
  })

  const asked = z.object({ resume: z.string().optional() })
  fastify.post('/session', async (request, reply) => {
    requireOwnOrigin(request.raw)
    const { readOnly, expiresAt } = sessionOf(request.raw)
    const { resume: has } = parseInput(asked, request.body ?? {}, 'POST /session')
    const resume = sessions.resumeKey(cookieOf(request.raw), has)
    // Whoever has it may count on it.
    await deps.kept()
    return reply.header('cache-control', 'no-store').send({
      read_only: readOnly,
      expires_at: new Date(expiresAt).toISOString(),
      now: new Date().toISOString(),
      build,
      resume,
    })
  })

  const resumed = z.object({ resume: z.string() })
  fastify.post('/session/resume', (request, reply) => {
    requireOwnOrigin(request.raw)
    const opened = sessions.resume(parseInput(resumed, request.body, 'POST /session/resume').resume)
    if (opened === undefined)
      throw new ExomonadError(
        'UNAUTHORIZED',
        'What this page had open is over. `exomonad web` opens it anew.',
      )
    return letIn(reply, opened).header('cache-control', 'no-store').send({ resumed: true })
  })

  fastify.post('/session/close', async (request, reply) => {
    requireOwnOrigin(request.raw)
    // Who is not let in has nothing that could end.
    if (sessions.find(cookieOf(request.raw))?.isPage(pageKeyOf(request.raw)) === true)
      sessions.close(cookieOf(request.raw))
    // Nobody who was told that it is over comes back after a crash.
    await deps.kept()
    return reply.clearCookie(nameOfCookie(), { path: '/' }).send({ closed: true })
  })

  /** Nothing of the body is read here: that is the other’s. */
  const passOn = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { raw } = request
    if (raw.method === 'GET' || raw.method === 'HEAD') refuseOtherOrigin(raw)
    else requireOwnOrigin(raw)
    const session = sessionOf(raw)
    vouchFor(raw, session)
    for (const [name, value] of Object.entries(HEADERS)) reply.raw.setHeader(name, value)
    // What was answered to who was let in stays in no cache, of the browser or of a proxy.
    reply.raw.setHeader('cache-control', 'no-store')
    const end = () => reply.raw.destroy()
    session.signal.addEventListener('abort', end, { once: true })
    reply.raw.once('close', () => session.signal.removeEventListener('abort', end))
    reply.hijack()
    api.routing(raw, reply.raw)
  }
  const none = () => Promise.resolve()
  for (const url of ['/v1/*', '/openapi.json'])
    fastify.all(url, { onRequest: passOn, schema: { hide: true } }, none)

  await fastify.register(staticFiles, {
    root: deps.files,
    wildcard: true,
    index: INDEX,
    cacheControl: false,
    allowedPath: (path) => isBelow(deps.files, path),
    setHeaders: (reply, path) => {
      // Asked for while the page’s script is on its way; who was not let in asks for nothing.
      if (path.endsWith(INDEX) && sessions.find(cookieOf(reply.request.raw)) !== undefined)
        void reply.header('link', TREE_BESIDE)
      // Their names change with what is in them.
      void reply.header(
        'cache-control',
        path.includes(ASSETS) ? 'public, max-age=31536000, immutable' : 'no-cache',
      )
    },
  })
  // Every address of the page is the page; it knows which view that is.
  fastify.setNotFoundHandler((request, reply) => {
    if (isForView(request.raw)) return reply.header('cache-control', 'no-cache').sendFile(INDEX)
    return reply
      .code(404)
      .send(new ExomonadError('INVALID_ARG', `There is no ${request.method} here.`).toJSON())
  })

  const upgraded = new Set<Socket>()
  fastify.server.on('upgrade', (request: IncomingMessage, stream, head: Buffer) => {
    const socket = stream as Socket
    // A browser that breaks off is an end like any other.
    socket.on('error', () => {})
    try {
      requireKnownHost(request, hosts())
      requireOwnOrigin(request)
      const session = sessionOf(request)
      vouchFor(request, session)
      const end = () => socket.destroy()
      session.signal.addEventListener('abort', end, { once: true })
      upgraded.add(socket)
      socket.once('close', () => {
        upgraded.delete(socket)
        session.signal.removeEventListener('abort', end)
      })
      api.server.emit('upgrade', request, socket, head)
    } catch (thrown) {
      refuse(socket, asExomonadError(thrown))
    }
  })
  fastify.addHook('preClose', () => {
    for (const socket of upgraded) socket.destroy()
  })
  return fastify
}
