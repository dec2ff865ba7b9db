import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Agent } from '../domain/records.ts'
import type { Directory } from '../core/agents/directory.ts'
import type { Caller } from '../domain/caller.ts'
import { ExomonadError } from '../domain/errors.ts'
import { isAlive } from '../domain/lifecycle.ts'
import { fateOf } from './tool-access.ts'
import { wayBack } from '../domain/state-words.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who asks; set on every route but public ones. */
    caller: Caller | null
  }
  interface FastifyContextConfig {
    /** Answered without a token. */
    public?: boolean
  }
}

export interface AuthDeps {
  readonly directory: Pick<Directory, 'find' | 'root'>
  /** SHA-256 of the owner’s token, hex. */
  readonly ownerTokenHash: string
  readonly findAgentByTokenHash: (hash: string) => Promise<Agent | undefined>
}

/**
 * Puts the caller on every request by its bearer token: the owner’s is the human’s, each agent has
 * one of its own. A route that is not public answers 401 without one.
 */
export function installAuth(fastify: FastifyInstance, deps: AuthDeps): void {
  fastify.decorateRequest('caller', null)
  fastify.addHook('onRequest', async (request) => {
    if (request.routeOptions.config.public === true) return
    const caller = await identifyRequest(deps, request.raw)
    // Tools look at it themselves (run-tool.ts): of those many change nothing.
    if (
      caller.readOnly === true &&
      request.method !== 'GET' &&
      !(request.routeOptions.url ?? '').startsWith('/v1/tools/')
    )
      throw readOnlyRefusal(`${request.method} ${request.routeOptions.url ?? ''}`)
    request.caller = caller
  })
}

/** Requests of a page that the listener of the page let in (web/listener.ts), with its rights. */
const vouched = new WeakMap<IncomingMessage, { readonly readOnly: boolean }>()

/** From now on the request is the person’s, without a token. */
export const vouchFor = (request: IncomingMessage, rights: { readonly readOnly: boolean }): void =>
  void vouched.set(request, rights)

/** `identify`, and who has been vouched for. */
export async function identifyRequest(deps: AuthDeps, request: IncomingMessage): Promise<Caller> {
  const rights = vouched.get(request)
  if (rights === undefined) return identify(deps, request.headers)
  const caller = await personActing(deps, headerText(request.headers['x-exomonad-as']))
  return rights.readOnly ? { ...caller, readOnly: true } : caller
}

/** NOT_ALLOWED, for a page that was opened to be looked at. */
export const readOnlyRefusal = (what: string): ExomonadError =>
  new ExomonadError(
    'NOT_ALLOWED',
    `This page was opened for reading only, and ${what} changes something. \`exomonad web\` opens one that may.`,
    { read_only: true },
  )

/** The caller of a route that isn’t public. */
export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === null)
    throw new ExomonadError('UNAUTHORIZED', 'The request carries no token.')
  return request.caller
}

/**
 * Who a request comes from. UNAUTHORIZED without a token or with nobody’s, NOT_ALLOWED with that of
 * an agent that ended.
 */
export async function identify(deps: AuthDeps, headers: IncomingHttpHeaders): Promise<Caller> {
  const token = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1]
  if (token === undefined)
    throw new ExomonadError(
      'UNAUTHORIZED',
      'The request carries no token. Send `Authorization: Bearer` with the one from EXOMONAD_TOKEN or EXOMONAD_AUTH_FILE.',
    )
  const as = headerText(headers['x-exomonad-as'])
  const hash = createHash('sha256').update(token).digest('hex')
  if (sameHash(hash, deps.ownerTokenHash)) return personActing(deps, as)

  const agent = await deps.findAgentByTokenHash(hash)
  if (agent === undefined)
    throw new ExomonadError(
      'UNAUTHORIZED',
      'The token belongs to nobody here. Use the one from EXOMONAD_TOKEN or EXOMONAD_AUTH_FILE, in the repository it was given for.',
    )
  if (!isAlive(agent.state)) {
    throw new ExomonadError(
      'NOT_ALLOWED',
      `${agent.name} ${fateOf(agent)}, so its token does nothing more. ${wayBack(agent)}`.trimEnd(),
      {
        agent_id: agent.id,
        state: agent.state,
      },
    )
  }
  if (as !== undefined)
    throw new ExomonadError(
      'NOT_ALLOWED',
      `Only the human may act for another agent; this is ${agent.name}’s token. Leave out --as.`,
      { agent_id: agent.id },
    )
  return { kind: 'agent', agent }
}

const personActing = async (deps: AuthDeps, as: string | undefined): Promise<Caller> =>
  as === undefined
    ? { kind: 'human', agent: await deps.directory.root() }
    : { kind: 'human', agent: await findNamed(deps, as), isNamed: true }

/** The words say which of the agents in a command is meant. AGENT_NOT_FOUND, AMBIGUOUS_ID. */
async function findNamed({ directory }: Pick<AuthDeps, 'directory'>, as: string): Promise<Agent> {
  try {
    return await directory.find(as)
  } catch (thrown) {
    if (!(thrown instanceof ExomonadError)) throw thrown
    throw new ExomonadError(
      thrown.code,
      `${thrown.message} It was given with --as.`,
      thrown.facts,
      {
        cause: thrown,
      },
    )
  }
}

/** In constant time, so that a token can’t be guessed by how long its refusal takes. */
function sameHash(one: string, other: string): boolean {
  const left = Buffer.from(one)
  const right = Buffer.from(other)
  return left.length === right.length && timingSafeEqual(left, right)
}

/** Header values are percent-encoded, since names and branches may hold any letter. */
function headerText(value: string | string[] | undefined): string | undefined {
  const text = Array.isArray(value) ? value[0] : value
  if (text === undefined) return undefined
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
