import { setTimeout as delay } from 'node:timers/promises'
import { client, PROTOCOL_VERSION } from '@agentclientprotocol/sdk'
import { ExomonadError } from '../errors.ts'
import { readVersion } from '../own-package.ts'
import type {
  AcpCapabilities,
  AcpConnection,
  AcpExit,
  AcpMcpServer,
  AcpOptions,
  OpenAcp,
} from './acp.ts'
import { startChild, type Child } from './child.ts'
import { registerClientMethods } from './client-methods.ts'
import { asFailure, finalOutput } from './failures.ts'
import { createFrames } from './frames.ts'
import { createSession, type HeldSession } from './session.ts'
import { readUpdate } from './updates.ts'

const START_TIMEOUT = 60_000
const GRACE = 5_000
const CANCEL_TIMEOUT = 10_000
/** Between the end of its output and its own. */
const CLOSE_LIMIT = 1_000

type Fields = Readonly<Record<string, unknown>>
const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
const textOr = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null

export const openAcpConnection: OpenAcp = async (options) => await begin(options).connected

/**
 * The program runs when this returns; what is said to it first goes on. `connected` is to be waited
 * for.
 */
export function begin(options: AcpOptions): {
  readonly child: Child
  readonly connected: Promise<AcpConnection>
} {
  const child = startChild({
    ...options,
    grace: options.grace ?? GRACE,
    stderr: options.handlers.stderr,
  })
  return { child, connected: connect(child, options) }
}

async function connect(child: Child, options: AcpOptions): Promise<AcpConnection> {
  const { name, handlers, startTimeout = START_TIMEOUT, cancelTimeout = CANCEL_TIMEOUT } = options
  const sessions = new Map<string, HeldSession>()
  const said = new Set<string>()
  const warn = (kind: string, what: string): void => {
    if (said.has(kind)) return
    said.add(kind)
    handlers.warn?.(`${name} wrote ${what} (it goes on; more of the kind is not said)`)
  }

  let capabilities: AcpCapabilities | null = null
  await child.begun
  const app = client({ name: 'exomonad' })
  registerClientMethods(app, {
    handlers,
    signalOf: (sessionId) => sessions.get(sessionId)?.signal(),
    agentName: () => capabilities?.name ?? null,
  })
  const frames = createFrames({
    input: child.stdout,
    output: child.stdin,
    odd: warn,
    update: (params) => {
      const sessionId = textOr(params['sessionId'])
      if (sessionId === null) return warn('update', 'an update without a session')
      sessions.get(sessionId)?.updated(fieldsOf(params['update']))
      return handlers.update?.(sessionId, readUpdate(params['update']))
    },
  })
  const connection = app.connect(frames)
  const state = { exit: null as (AcpExit & { stderr: string }) | null }
  const ended = child.ended.then(async (exit) => {
    state.exit = exit
    // All that it said before is taken first, and an answer among it counts.
    await frames.done
    connection.close(new Error('the agent ended'))
    // Some take their time to end: what its turn came to is not held up by them.
    handlers.terminals
      ?.close()
      .catch((error: unknown) =>
        handlers.warn?.(`what ${name} ran in terminals could not be ended: ${String(error)}`),
      )
    return exit
  })
  // One that closes its ends of the pipes but stays can be of no use any more.
  void connection.closed.then(async () => {
    if (await Promise.race([child.ended.then(() => true), delay(CLOSE_LIMIT, false)])) return
    handlers.warn?.(`${name} closed its input or output and is ended for it`)
    await child.end()
  })

  /** A request; what goes wrong is said in words, once it is known whether the program ended. */
  async function request<Answer>(doing: string, method: string, params: unknown): Promise<Answer> {
    try {
      return await connection.agent.request<Answer>(method, params)
    } catch (error) {
      if (connection.signal.aborted) await ended
      throw asFailure(name, doing, error, { exit: state.exit, capabilities })
    }
  }

  try {
    capabilities = await within(
      startTimeout,
      `${name} did not answer within ${startTimeout / 1000} s. Is it a program that speaks the Agent Client Protocol?`,
      child,
      sayHello(name, handlers, (params) => request('start', 'initialize', params)),
    )
  } catch (error) {
    await child.end()
    const known = asFailure(name, 'start', error, { exit: state.exit, capabilities })
    throw known.code === 'SPAWN_FAILED'
      ? known
      : new ExomonadError('SPAWN_FAILED', known.message, known.facts, { cause: error })
  }

  const usable = (servers: readonly AcpMcpServer[]): readonly unknown[] =>
    serversFor(servers, capabilities?.mcpHttp === true)

  async function opened(
    sessionId: string | null,
    doing: string,
    method: string,
    params: Fields,
  ): Promise<HeldSession> {
    // Known before it is there: its history comes while it is loaded.
    const early =
      sessionId === null
        ? null
        : createSession({
            id: sessionId,
            loaded: true,
            name,
            connection,
            child,
            request,
            cancelTimeout,
          })
    if (early !== null) sessions.set(early.id, early)
    const late = `${name} did not ${doing} within ${startTimeout / 1000} s.`
    const answer = fieldsOf(await within(startTimeout, late, child, request(doing, method, params)))
    const id = sessionId ?? textOr(answer['sessionId'])
    if (id === null)
      throw new ExomonadError(
        'NOT_AVAILABLE',
        `${name} could not ${doing}: its answer names no session.`,
      )
    const session =
      early ?? createSession({ id, loaded: false, name, connection, child, request, cancelTimeout })
    session.offered(answer)
    sessions.set(id, session)
    return session
  }

  const made: AcpConnection = {
    pid: child.pid,
    capabilities,
    newSession: ({ cwd, mcpServers }) =>
      opened(null, 'open a session', 'session/new', { cwd, mcpServers: usable(mcpServers) }),
    loadSession: async ({ sessionId, cwd, mcpServers }) => {
      const way = capabilities?.load ?? null
      if (way === null)
        throw new ExomonadError('INVALID_ARG', `${name} can’t load sessions. Start a new one.`)
      try {
        return await opened(sessionId, `load the session ${sessionId}`, `session/${way}`, {
          sessionId,
          cwd,
          mcpServers: usable(mcpServers),
        })
      } catch (error) {
        sessions.delete(sessionId)
        throw error
      }
    },
    ended,
    close: async () => {
      await Promise.all([child.end(), handlers.terminals?.close()])
      return await ended
    },
  }
  return made
}

/** SPAWN_FAILED where it speaks another version of the protocol. */
async function sayHello(
  name: string,
  handlers: AcpOptions['handlers'],
  initialize: (params: Fields) => Promise<unknown>,
): Promise<AcpCapabilities> {
  const answer = fieldsOf(
    await initialize({
      protocolVersion: PROTOCOL_VERSION,
      clientInfo: { name: 'exomonad', title: 'exomonad', version: readVersion() },
      clientCapabilities: {
        fs: {
          readTextFile: handlers.readTextFile !== undefined,
          writeTextFile: handlers.writeTextFile !== undefined,
        },
        terminal: handlers.terminals !== undefined,
      },
    }),
  )
  const spoken = answer['protocolVersion']
  if (spoken !== PROTOCOL_VERSION) {
    throw new ExomonadError(
      'SPAWN_FAILED',
      `${name} speaks version ${String(spoken)} of the Agent Client Protocol, exomonad version ${PROTOCOL_VERSION}. Install a version of it that speaks that.`,
    )
  }
  return capabilitiesOf(answer)
}

async function within<Result>(
  limit: number,
  late: string,
  child: Child,
  result: Promise<Result>,
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new ExomonadError('SPAWN_FAILED', late + finalOutput(child.stderr()))),
      limit,
    )
  })
  try {
    return await Promise.race([result, tooLate])
  } finally {
    clearTimeout(timer)
  }
}

/** A capability is offered by being there, with or without anything in it. */
const isOffered = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== false

function capabilitiesOf(answer: Fields): AcpCapabilities {
  const agent = fieldsOf(answer['agentCapabilities'])
  const info = fieldsOf(answer['agentInfo'])
  return {
    name: textOr(info['name']),
    version: textOr(info['version']),
    load:
      agent['loadSession'] === true
        ? 'load'
        : isOffered(fieldsOf(agent['sessionCapabilities'])['resume'])
          ? 'resume'
          : null,
    mcpHttp: fieldsOf(agent['mcpCapabilities'])['http'] === true,
    authMethods: (Array.isArray(answer['authMethods']) ? answer['authMethods'] : []).map(
      (raw: unknown) => {
        const method = fieldsOf(raw)
        const id = textOr(method['id']) ?? ''
        return {
          id,
          name: textOr(method['name']) ?? id,
          description: textOr(method['description']),
        }
      },
    ),
  }
}

/**
 * Of each name the first that it can use, in the protocol’s shape: one on stdio has no type there.
 */
export function serversFor(servers: readonly AcpMcpServer[], http: boolean): readonly unknown[] {
  const names = new Set<string>()
  return servers.flatMap((server): unknown[] => {
    if ((server.type === 'http' && !http) || names.has(server.name)) return []
    names.add(server.name)
    if (server.type === 'http') return [server]
    const { type: _, ...stdio } = server
    return [stdio]
  })
}
