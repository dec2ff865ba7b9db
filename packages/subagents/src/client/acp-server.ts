import process from 'node:process'
import type { StartPiped } from '../processes/start-piped.ts'
import type { AcpConnection, AcpMcpServer, AcpHandlers, OpenAcp, AcpSession } from '../acp/acp.ts'
import { lastLines } from '../acp/tail.ts'
import { ExomonadError, toError } from '../errors.ts'
import { abortReason, anySignal, untilAborted } from '../abort.ts'
import { asChunk, mergeCall, type KnownCalls } from './acp-chunks.ts'
import type {
  ACPGenerateOptions,
  ACPPermissionPolicy,
  ACPServerHealth,
  ACPSessionInfo,
  ACPStreamChunk,
  ACPToolSource,
} from './acp-types.ts'
import { BRIDGE_FILE } from '../own-package.ts'
import { BRIDGE_PORT, BRIDGE_TOKEN } from '../mcp/bridge-protocol.ts'
import { firstPrompt } from './first-prompt.ts'
import type { RegistryAccess, RegistryServer } from '../mcp/registry-server.ts'
import { isRegistryCall, REGISTRY_SERVER } from '../tools/tool-titles.ts'

export interface AcpServerConfig {
  readonly name: string
  /** What `agentId` calls it. */
  readonly agentId: string
  readonly argv: readonly string[]
  readonly cwd: string
  /** Whole. */
  readonly env: Readonly<Record<string, string>>
  /** Of new sessions; undefined: the agent’s own. */
  readonly model: string | undefined
  readonly mode: string | undefined
  /** Undefined: as the agent needs it. */
  readonly processPerSession: boolean | undefined
  /** Milliseconds. */
  readonly startTimeout: number | undefined
}

export interface AcpServerDeps {
  readonly open: OpenAcp
  readonly start: StartPiped
  readonly registry: () => Promise<RegistryServer>
  /** Null: the registry’s tools are allowed, and nothing else. */
  readonly policy: () => ACPPermissionPolicy | null
}

export interface TurnEnd {
  readonly sessionId: string
  readonly stopReason: string
  readonly usage: Awaited<ReturnType<AcpSession['prompt']>>['usage']
}

/**
 * One program that speaks the Agent Client Protocol, its process and its sessions. Started when
 * needed, and again after it ended.
 */
export interface AcpServer {
  readonly config: AcpServerConfig
  connect(): Promise<AcpConnection>
  /** What it calls itself, once it was started. */
  self(): { readonly name: string | null; readonly version: string | null }
  health(): ACPServerHealth
  turn(
    prompt: string,
    options: ACPGenerateOptions & { readonly signal: AbortSignal },
    tell: (chunk: ACPStreamChunk) => void,
  ): Promise<TurnEnd>
  sessions(): ACPSessionInfo[]
  load(sessionId: string): Promise<ACPSessionInfo>
  /** INVALID_ARG with the sessions that there are. */
  session(sessionId: string): AcpSession
  forget(sessionId: string): void
  /** Ends its turns, sessions and process for good. */
  close(): Promise<void>
}

interface Held {
  readonly session: AcpSession
  readonly access: RegistryAccess | undefined
  readonly known: KnownCalls
  /** Aborted when it is forgotten. */
  readonly ended: AbortController
  tools: ACPToolSource | undefined
  /** Nothing was prompted yet. */
  fresh: boolean
  /** Ends with the turns that were asked for so far. */
  queue: Promise<unknown>
  tell: ((chunk: ACPStreamChunk) => void) | undefined
}

export function createAcpServer(config: AcpServerConfig, deps: AcpServerDeps): AcpServer {
  const held = new Map<string, Held>()
  const byConversation = new WeakMap<object, Promise<Held>>()
  let connecting: Promise<AcpConnection> | undefined
  let current: AcpConnection | undefined
  let startedAt = 0
  let self: { name: string | null; version: string | null } = { name: null, version: null }
  let lastError: string | null = null
  let closed = false

  const drop = (id: string, reason: string): void => {
    const one = held.get(id)
    held.delete(id)
    one?.access?.remove()
    one?.ended.abort(new ExomonadError('NOT_AVAILABLE', reason))
  }

  const handlers: AcpHandlers = {
    update: (sessionId, update) => {
      const one = held.get(sessionId)
      const chunk = one === undefined ? undefined : asChunk(one.known, update)
      if (chunk !== undefined) one?.tell?.(chunk)
    },
    permission: async (sessionId, { tool }) => {
      const one = held.get(sessionId)
      const isNew = one?.known.has(tool.id) === false
      const toolCall = mergeCall(one?.known ?? new Map(), tool)
      // Some agents announce a call by this question alone.
      if (isNew) one?.tell?.({ type: 'tool_call', toolCall })
      const policy = deps.policy()
      if (policy === null)
        return isRegistryCall(one?.tools?.definitions() ?? [], toolCall) ? 'allow' : 'deny'
      if (typeof policy === 'string') return policy
      try {
        return (await policy({ serverName: config.name, sessionId, toolCall })) === 'allow'
          ? 'allow'
          : 'deny'
      } catch {
        return 'deny'
      }
    },
  }

  const begin = async (): Promise<AcpConnection> => {
    const { name, argv, cwd, env, startTimeout } = config
    const limit = startTimeout === undefined ? {} : { startTimeout }
    const connection = await deps.open({
      start: deps.start,
      name,
      argv,
      cwd,
      env,
      handlers,
      ...limit,
    })
    if (closed) {
      await connection.close()
      throw disposed(name)
    }
    current = connection
    startedAt = performance.now()
    lastError = null
    self = { name: connection.capabilities.name, version: connection.capabilities.version }
    void connection.ended.then(({ exitCode, signal, stderr }) => {
      if (current !== connection) return
      current = undefined
      connecting = undefined
      const words = lastLines(stderr)
      const reason = `${name} ended (${signal ?? `exit code ${exitCode ?? 'unknown'}`})${words === '' ? '' : `: ${words}`}`
      if (!closed) lastError = reason
      for (const id of [...held.keys()]) drop(id, reason)
    })
    return connection
  }

  const connect = async (): Promise<AcpConnection> => {
    if (closed) throw disposed(config.name)
    connecting ??= begin()
    try {
      return await connecting
    } catch (thrown) {
      connecting = undefined
      if (!closed) lastError = toError(thrown).message
      throw thrown
    }
  }

  const hold = async (
    tools: ACPToolSource | undefined,
    withTools: boolean,
    make: (connection: AcpConnection, mcpServers: readonly AcpMcpServer[]) => Promise<AcpSession>,
  ): Promise<Held> => {
    const connection = await connect()
    const access = withTools ? (await deps.registry()).add() : undefined
    access?.bind(tools ?? null)
    try {
      const session = await make(connection, access === undefined ? [] : mcpServers(access))
      if (current !== connection)
        throw new ExomonadError('NOT_AVAILABLE', lastError ?? `${config.name} has ended.`)
      const fresh = !session.loaded
      const one: Held = {
        session,
        access,
        known: new Map(),
        ended: new AbortController(),
        tools,
        fresh,
        queue: Promise.resolve(),
        tell: undefined,
      }
      held.set(session.id, one)
      return one
    } catch (thrown) {
      access?.remove()
      throw thrown
    }
  }

  const create = ({ tools, conversation }: ACPGenerateOptions): Promise<Held> =>
    // One that goes on may be given tools later.
    hold(tools, tools !== undefined || conversation !== undefined, async (connection, servers) => {
      const session = await connection.newSession({ cwd: config.cwd, mcpServers: servers })
      if (config.model !== undefined) await session.setModel(config.model)
      if (config.mode !== undefined) await session.setMode(config.mode)
      return session
    })

  const take = async (options: ACPGenerateOptions): Promise<Held> => {
    if (options.sessionId !== undefined) return find(options.sessionId)
    const { conversation } = options
    if (conversation === undefined) return create(options)
    const known = byConversation.get(conversation)
    // Without waiting where there is none: two calls at once get one session.
    const before = known === undefined ? undefined : await known.catch(() => undefined)
    if (before !== undefined && held.get(before.session.id) === before) return before
    const made = create(options)
    byConversation.set(conversation, made)
    return made
  }

  const find = (sessionId: string): Held => {
    const one = held.get(sessionId)
    if (one !== undefined) return one
    const open = [...held.keys()].join(', ')
    throw new ExomonadError(
      'INVALID_ARG',
      `${config.name} has no session ${sessionId} open${open === '' ? '' : `; open are ${open}`}. Use loadSession for an older one.`,
    )
  }

  const prompt = async (
    one: Held,
    text: string,
    options: ACPGenerateOptions,
    signal: AbortSignal,
    tell: Held['tell'],
  ): Promise<TurnEnd> => {
    if (signal.aborted) throw abortReason(signal)
    const { tools } = options
    if (tools !== undefined && one.access === undefined) {
      throw new ExomonadError(
        'NOT_AVAILABLE',
        `Session ${one.session.id} was begun without tools and cannot be given any. Begin another.`,
      )
    }
    one.access?.bind(tools ?? null)
    Object.assign(one, { tools, tell })
    one.known.clear()
    try {
      const whole = one.fresh ? firstPrompt(text, options.systemPrompt, options.history) : text
      one.fresh = false
      const { stopReason, usage } = await one.session.prompt(whole, signal)
      if (signal.aborted) throw abortReason(signal)
      return { sessionId: one.session.id, stopReason, usage }
    } finally {
      one.access?.bind(null)
      Object.assign(one, { tools: undefined, tell: undefined })
    }
  }

  const infoOf = ({ session }: Held): ACPSessionInfo =>
    Object.freeze({
      sessionId: session.id,
      serverName: config.name,
      cwd: config.cwd,
      mode: session.mode(),
      model: session.model(),
      modes: session.modes().map(({ id }) => id),
      models: session.models().map(({ id }) => id),
    })

  return {
    config,
    connect,
    self: () => self,
    health: () => {
      const state =
        current !== undefined
          ? 'ready'
          : connecting !== undefined
            ? 'starting'
            : lastError !== null
              ? 'failed'
              : 'stopped'
      return Object.freeze({
        state,
        pid: current?.pid ?? null,
        uptimeMs: current === undefined ? 0 : Math.round(performance.now() - startedAt),
        lastError,
      })
    },
    turn: async (text, options, tell) => {
      const isOwn = options.sessionId === undefined && options.conversation === undefined
      const taking = take(options)
      const one = await untilAborted(taking, options.signal).catch((thrown: unknown) => {
        // A session that comes too late is nobody’s.
        if (isOwn)
          taking.then(({ session }) => drop(session.id, 'The session is over.')).catch(() => {})
        throw thrown
      })
      const signal = anySignal(options.signal, one.ended.signal)
      const turn = one.queue.then(() => prompt(one, text, options, signal, tell))
      one.queue = turn.catch(() => {})
      try {
        return await turn
      } catch (thrown) {
        // What was thrown for the end of the program says why it ended.
        throw signal.aborted ? abortReason(signal) : thrown
      } finally {
        if (isOwn) drop(one.session.id, 'The session is over.')
      }
    },
    sessions: () => [...held.values()].map(infoOf),
    load: async (sessionId) => {
      if (held.has(sessionId)) return infoOf(find(sessionId))
      return infoOf(
        await hold(undefined, true, (connection, servers) =>
          connection.loadSession({ sessionId, cwd: config.cwd, mcpServers: servers }),
        ),
      )
    },
    session: (sessionId) => find(sessionId).session,
    forget: (sessionId) => {
      find(sessionId)
      drop(sessionId, `Session ${sessionId} was deleted.`)
    },
    close: async () => {
      closed = true
      for (const id of [...held.keys()]) drop(id, disposed(config.name).message)
      const connection = current ?? (await connecting?.catch(() => undefined))
      await connection?.close()
      current = undefined
      connecting = undefined
      lastError = null
    },
  }
}

const disposed = (name: string): ExomonadError =>
  new ExomonadError(
    'NOT_AVAILABLE',
    `The client of ${name} was disposed. Make another with createAcpClient.`,
  )

/** Over HTTP where the agent can; the bridge of the same name where it can’t. */
function mcpServers({ url, token }: RegistryAccess): AcpMcpServer[] {
  const env = [
    { name: BRIDGE_PORT, value: new URL(url).port },
    { name: BRIDGE_TOKEN, value: token },
  ]
  return [
    {
      type: 'http',
      name: REGISTRY_SERVER,
      url,
      headers: [{ name: 'Authorization', value: `Bearer ${token}` }],
    },
    {
      type: 'stdio',
      name: REGISTRY_SERVER,
      command: process.execPath,
      args: [BRIDGE_FILE],
      env,
    },
  ]
}
