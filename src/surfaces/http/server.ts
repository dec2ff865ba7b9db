import { chmodSync } from 'node:fs'
import process from 'node:process'
import createFastify, { type FastifyInstance, type FastifyReply } from 'fastify'
import type { Agent } from '../../domain/records.ts'
import type { Core } from '../../core/core.ts'
import { asExomonadError, ExomonadError } from '../../domain/errors.ts'
import type { Log } from '../../runtime/log.ts'
import { requireShallow } from '../../domain/formats/parse-json.ts'
import type { TextGate } from '../../sanitize/text-gate.ts'
import type { AnyTool } from '../../tools/define.ts'
import type { LoopbackServer } from '../mcp/loopback.ts'
import { createMcpOverHttp } from '../mcp/over-http.ts'
import { mcpUpgrade } from '../mcp/over-socket.ts'
import type { RoleTools } from '../tool-access.ts'
import { identifyRequest, installAuth } from '../auth.ts'
import {
  answerError,
  fromFastify,
  installErrors,
  installNotFound,
  rawAnswer,
} from '../http-errors.ts'
import type { EventSource } from './event-feed.ts'
import { eventSocket } from './event-socket.ts'
import { eventRoute } from './events.ts'
import { healthRoute } from './health.ts'
import { hookRoutes } from './hooks.ts'
import { installOpenApi, openApiRoute } from './openapi.ts'
import { linkConfined, prepareSocketFile, unlinkConfined } from './socket-file.ts'
import { terminalUpgrade } from './terminals.ts'
import { toolRoutes } from './tools.ts'
import { treeRoutes } from './tree.ts'
import { installUpgrades } from './upgrades.ts'

export interface HttpServerDeps {
  readonly core: Core
  readonly tools: readonly AnyTool[]
  readonly events: EventSource
  /** SHA-256 of the owner’s token, hex. */
  readonly ownerTokenHash: string
  readonly findAgentByTokenHash: (hash: string) => Promise<Agent | undefined>
  readonly log: Log
  readonly version: string
  /** Path of the repository, as `/healthz` says it. */
  readonly repository: string
  readonly clock: () => number
  /** Further facts for `/healthz`. */
  readonly health?: () => Record<string, unknown> | Promise<Record<string, unknown>>
  /** `[roles.NAME] tools` of the configuration. */
  readonly roleTools?: RoleTools
  /** What tools are given and return goes through it. */
  readonly gate: TextGate
  /** Where MCP is served over HTTP as well. */
  readonly loopback?: Pick<LoopbackServer, 'serve'>
  /** Milliseconds between comments in an event stream without events; default 15 s. */
  readonly heartbeat?: number
}

export interface HttpServer {
  /**
   * Serves on a Unix socket that only this user reaches. A socket that a dead daemon left there is
   * replaced.
   */
  listen(socketPath: string): Promise<void>
  /** Ends all connections, event streams and waiting calls included, and removes the socket. */
  close(): Promise<void>
  readonly fastify: FastifyInstance
}

const BODY_LIMIT = 10 * 1024 * 1024

/** The daemon’s HTTP surface. Bodies, headers and tokens are never logged. */
export async function createHttpServer(deps: HttpServerDeps): Promise<HttpServer> {
  const roleTools = deps.roleTools ?? (() => undefined)
  const fastify = createFastify({
    bodyLimit: BODY_LIMIT,
    forceCloseConnections: true,
    exposeHeadRoutes: false,
    frameworkErrors: (error, _request, reply) =>
      answerError(reply as unknown as FastifyReply, fromFastify(error) ?? asExomonadError(error)),
    clientErrorHandler: (error, socket) => {
      if (socket.writable)
        socket.end(
          rawAnswer(
            new ExomonadError(
              'INVALID_ARG',
              `The request is not HTTP that this understands: ${error.message}.`,
            ),
          ),
        )
      else socket.destroy()
    },
  })
  // Schemas describe the routes; values are checked where they are used, in the same way for every
  // surface.
  fastify.setValidatorCompiler(() => (value) => ({ value }))
  fastify.setSerializerCompiler(() => (value) => JSON.stringify(value))
  parseEveryBodyAsJson(fastify)
  installErrors(fastify, deps.log)
  installNotFound(fastify)
  const auth = {
    directory: deps.core.directory,
    ownerTokenHash: deps.ownerTokenHash,
    findAgentByTokenHash: deps.findAgentByTokenHash,
  }
  installAuth(fastify, auth)
  await installOpenApi(fastify, deps.version)

  healthRoute(fastify, { ...deps, health: deps.health ?? (() => ({})) })
  toolRoutes(fastify, {
    core: deps.core,
    tools: deps.tools,
    roleTools,
    gate: deps.gate,
    log: deps.log,
  })
  treeRoutes(fastify, deps.core.view)
  const events = {
    events: deps.events,
    directory: deps.core.directory,
    heartbeat: deps.heartbeat ?? 15_000,
  }
  eventRoute(fastify, events)
  hookRoutes(fastify, deps.core.hooks)
  openApiRoute(fastify)
  const mcp = {
    core: deps.core,
    tools: deps.tools,
    roleTools,
    gate: deps.gate,
    log: deps.log,
    version: deps.version,
    clock: deps.clock,
    auth,
  }
  installUpgrades(fastify, [mcpUpgrade(mcp), eventSocket(events), terminalUpgrade(deps)], {
    identify: (message) => identifyRequest(auth, message),
    log: deps.log,
  })
  deps.loopback?.serve(createMcpOverHttp(mcp))

  let served: string | undefined
  return {
    fastify,
    listen: async (socketPath) => {
      prepareSocketFile(socketPath)
      bindPrivately(fastify)
      await fastify.listen({ path: socketPath })
      chmodSync(socketPath, 0o600)
      linkConfined(socketPath)
      served = socketPath
    },
    close: async () => {
      if (served !== undefined) unlinkConfined(served)
      await fastify.close()
    },
  }
}

/** Whatever the content type says: curl sends another by default. An empty body is no arguments. */
function parseEveryBodyAsJson(fastify: FastifyInstance): void {
  const parse = fastify.getDefaultJsonParser('error', 'error')
  fastify.removeAllContentTypeParsers()
  fastify.addContentTypeParser('*', { parseAs: 'string' }, (request, body: string, done) => {
    if (body.trim() === '') return done(null, {})
    try {
      requireShallow(body)
    } catch (fault) {
      return done(Object.assign(fault as SyntaxError, { statusCode: 400 }))
    }
    void parse(request, body, done)
  })
}

/**
 * Node binds inside listen(), in the same turn: with this umask the socket is never reachable by
 * others, not even for a moment.
 */
function bindPrivately(fastify: FastifyInstance): void {
  const { server } = fastify
  const listen = server.listen.bind(server) as (...options: unknown[]) => typeof server
  server.listen = ((...options: unknown[]) => {
    const before = process.umask(0o177)
    try {
      return listen(...options)
    } finally {
      process.umask(before)
    }
  }) as typeof server.listen
}
