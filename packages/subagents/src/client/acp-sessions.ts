import process from 'node:process'
import type { AcpConnection, AcpHandlers, AcpMcpServer, AcpSession } from '../acp/acp.ts'
import { ExomonadError } from '../errors.ts'
import { BRIDGE_PORT, BRIDGE_TOKEN } from '../mcp/bridge-protocol.ts'
import type { RegistryAccess } from '../mcp/registry-server.ts'
import { BRIDGE_FILE } from '../own-package.ts'
import { isRegistryCall, REGISTRY_SERVER } from '../tools/tool-titles.ts'
import { asChunk, mergeCall, type KnownCalls } from './acp-chunks.ts'
import type { AcpProcess } from './acp-process.ts'
import type { AcpServerConfig, AcpServerDeps } from './acp-server-config.ts'
import type { ACPGenerateOptions, ACPStreamChunk, ACPToolSource } from './acp-types.ts'

/** A session of an agent that is held open. */
export interface OpenSession {
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
  onChunk: ((chunk: ACPStreamChunk) => void) | undefined
}

export interface AcpSessions {
  /** What the agent’s updates and questions come to, session by session. */
  readonly handlers: AcpHandlers
  all(): OpenSession[]
  /** INVALID_ARG with the sessions that there are. */
  find(sessionId: string): OpenSession
  /** The one that the options name or their conversation has, else a new one. */
  take(options: ACPGenerateOptions): Promise<OpenSession>
  load(sessionId: string): Promise<OpenSession>
  /** Its turn ends with this reason. */
  drop(sessionId: string, reason: string): void
  dropAll(reason: string): void
}

export function createAcpSessions(
  config: AcpServerConfig,
  deps: Pick<AcpServerDeps, 'policy' | 'registry'>,
  program: Pick<AcpProcess, 'connect' | 'requireCurrent'>,
): AcpSessions {
  const held = new Map<string, OpenSession>()
  const byConversation = new WeakMap<object, Promise<OpenSession>>()

  const drop = (id: string, reason: string): void => {
    const one = held.get(id)
    held.delete(id)
    one?.access?.remove()
    one?.ended.abort(new ExomonadError('NOT_AVAILABLE', reason))
  }

  const hold = async (
    tools: ACPToolSource | undefined,
    withTools: boolean,
    make: (connection: AcpConnection, mcpServers: readonly AcpMcpServer[]) => Promise<AcpSession>,
  ): Promise<OpenSession> => {
    const connection = await program.connect()
    const access = withTools ? (await deps.registry()).add() : undefined
    access?.bind(tools ?? null)
    try {
      const session = await make(connection, access === undefined ? [] : mcpServers(access))
      program.requireCurrent(connection)
      const one: OpenSession = {
        session,
        access,
        known: new Map(),
        ended: new AbortController(),
        tools,
        fresh: !session.loaded,
        queue: Promise.resolve(),
        onChunk: undefined,
      }
      held.set(session.id, one)
      return one
    } catch (thrown) {
      access?.remove()
      throw thrown
    }
  }

  const create = ({ tools, conversation }: ACPGenerateOptions): Promise<OpenSession> =>
    // One that goes on may be given tools later.
    hold(tools, tools !== undefined || conversation !== undefined, async (connection, servers) => {
      const session = await connection.newSession({ cwd: config.cwd, mcpServers: servers })
      if (config.model !== undefined) await session.setModel(config.model)
      if (config.mode !== undefined) await session.setMode(config.mode)
      return session
    })

  const find = (sessionId: string): OpenSession => {
    const one = held.get(sessionId)
    if (one !== undefined) return one
    const open = [...held.keys()].join(', ')
    throw new ExomonadError(
      'INVALID_ARG',
      `${config.name} has no session ${sessionId} open${open === '' ? '' : `; open are ${open}`}. Use loadSession for an older one.`,
    )
  }

  return {
    handlers: handlersOf(config, held, deps.policy),
    all: () => [...held.values()],
    find,
    take: async (options) => {
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
    },
    load: async (sessionId) =>
      held.get(sessionId) ??
      (await hold(undefined, true, (connection, servers) =>
        connection.loadSession({ sessionId, cwd: config.cwd, mcpServers: servers }),
      )),
    drop,
    dropAll: (reason) => {
      for (const id of [...held.keys()]) drop(id, reason)
    },
  }
}

function handlersOf(
  { name: serverName }: AcpServerConfig,
  held: ReadonlyMap<string, OpenSession>,
  policyNow: AcpServerDeps['policy'],
): AcpHandlers {
  return {
    update: (sessionId, update) => {
      const one = held.get(sessionId)
      const chunk = one === undefined ? undefined : asChunk(one.known, update)
      if (chunk !== undefined) one?.onChunk?.(chunk)
    },
    permission: async (sessionId, { tool }) => {
      const one = held.get(sessionId)
      const isNew = one?.known.has(tool.id) === false
      const toolCall = mergeCall(one?.known ?? new Map(), tool)
      // Some agents announce a call by this question alone.
      if (isNew) one?.onChunk?.({ type: 'tool_call', toolCall })
      const policy = policyNow()
      if (policy === null)
        return isRegistryCall(one?.tools?.definitions() ?? [], toolCall) ? 'allow' : 'deny'
      if (typeof policy === 'string') return policy
      try {
        return (await policy({ serverName, sessionId, toolCall })) === 'allow' ? 'allow' : 'deny'
      } catch {
        return 'deny'
      }
    },
  }
}

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
