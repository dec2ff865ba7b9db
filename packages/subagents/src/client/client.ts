import { ExomonadError, toError } from '../errors.ts'
import { anySignal, untilAborted } from '../abort.ts'
import { asTokens } from './acp-chunks.ts'
import type { AcpServer } from './acp-server.ts'
import type {
  ACPAgentInfo,
  ACPClient,
  ACPGenerateOptions,
  ACPGenerateResult,
  ACPPermissionPolicy,
  ACPStreamChunk,
} from './acp-types.ts'
import { createChunkQueue } from './chunk-queue.ts'

export interface ClientParts {
  /** At least one; the first is the default. */
  readonly servers: readonly AcpServer[]
  readonly defaultServer: string | undefined
  readonly setPolicy: (policy: ACPPermissionPolicy) => void
  readonly close: () => Promise<void>
}

/** The client, over the servers’ turns. */
export function createClientOf({
  servers,
  defaultServer,
  setPolicy,
  close,
}: ClientParts): ACPClient {
  const names = Object.freeze(servers.map(({ config }) => config.name))
  const named = (name: string): AcpServer => {
    const server = servers.find(({ config }) => config.name === name)
    if (server !== undefined) return server
    throw new ExomonadError(
      'INVALID_ARG',
      `There is no server named ${name}: there ${names.length === 1 ? 'is' : 'are'} ${names.join(', ')}.`,
    )
  }
  const fallback = named(defaultServer ?? names[0] ?? '')

  const pick = (serverName: string | undefined, agentId: string | undefined): AcpServer => {
    if (serverName !== undefined) {
      const server = named(serverName)
      if (agentId === undefined || agentId === server.config.agentId) return server
      throw new ExomonadError(
        'INVALID_ARG',
        `The server ${serverName} has no agent ${agentId}: its agent is ${server.config.agentId}.`,
      )
    }
    if (agentId === undefined || agentId === fallback.config.agentId) return fallback
    const server = servers.find(({ config }) => config.agentId === agentId)
    if (server !== undefined) return server
    throw new ExomonadError(
      'INVALID_ARG',
      `There is no agent ${agentId}: there are ${servers.map(({ config }) => config.agentId).join(', ')}.`,
    )
  }

  const infoOf = (server: AcpServer): ACPAgentInfo => {
    const { name, version } = server.self()
    const { agentId, name: serverName } = server.config
    return Object.freeze({
      id: agentId,
      name: name ?? agentId,
      serverName,
      ...(version === null ? {} : { version }),
    })
  }

  const turns = new Set<Promise<unknown>>()
  async function* follow(
    server: AcpServer,
    prompt: string,
    options: ACPGenerateOptions,
  ): AsyncGenerator<ACPStreamChunk, void> {
    const leaving = new AbortController()
    const signal = anySignal(options.signal, leaving.signal)
    const queue = createChunkQueue()
    const turn = server
      .turn(prompt, { ...options, signal }, queue.push)
      .then(({ sessionId, stopReason, usage }) => {
        queue.push({ type: 'complete', usage: asTokens(usage), stopReason, sessionId })
        queue.end()
      })
      .catch((thrown: unknown) => queue.fail(toError(thrown)))
      .finally(() => turns.delete(turn))
    turns.add(turn)
    try {
      for (;;) {
        // The reader notices an abort at once; that the turn ends is between client and
        // agent.
        const chunk = await untilAborted(queue.next(), signal)
        if (chunk === undefined) return
        yield chunk
      }
    } finally {
      leaving.abort(new Error('The answer is no longer read.'))
    }
  }

  const generate = async (
    prompt: string,
    options: ACPGenerateOptions = {},
  ): Promise<ACPGenerateResult> => {
    const server = pick(options.serverName, options.agentId)
    let text = ''
    let content = ''
    for await (const chunk of follow(server, prompt, options)) {
      if (chunk.type === 'delta') text += chunk.text
      // The answer is what it says after its last tool.
      if ((chunk.type === 'tool_call' || chunk.type === 'complete') && text.trim() !== '') {
        content = text
        text = ''
      }
      if (chunk.type !== 'complete') continue
      const { usage, stopReason, sessionId = '' } = chunk
      return Object.freeze({
        content,
        agentId: server.config.agentId,
        serverName: server.config.name,
        sessionId,
        usage,
        stopReason,
      })
    }
    throw new ExomonadError('NOT_AVAILABLE', `${server.config.name} gave no answer.`)
  }

  return Object.freeze({
    initialize: async () => void (await Promise.all(servers.map((server) => server.connect()))),
    dispose: async () => {
      await close()
      await Promise.allSettled(turns)
    },
    listAgents: async (serverName?: string) =>
      (serverName === undefined ? servers : [named(serverName)]).map(infoOf),
    getAgent: async (agentId?: string, serverName?: string) => infoOf(pick(serverName, agentId)),
    generate,
    chat: async (messages, options = {}) => {
      const last = messages.at(-1)
      if (last?.role !== 'user')
        throw new ExomonadError(
          'INVALID_ARG',
          'chat answers the last message, which must be the user’s.',
        )
      return generate(last.content, {
        ...options,
        history: [...(options.history ?? []), ...messages.slice(0, -1)],
      })
    },
    generateStream: (prompt, options = {}) =>
      follow(pick(options.serverName, options.agentId), prompt, options),
    embed: async () => {
      throw new ExomonadError(
        'NOT_AVAILABLE',
        'embed is unsupported: the Agent Client Protocol has no embeddings. Use a model’s own interface for them.',
      )
    },
    isAvailable: async (serverName?: string) => {
      try {
        await pick(serverName, undefined).connect()
        return true
      } catch {
        return false
      }
    },
    setPermissionPolicy: setPolicy,
    getServerHealth: (serverName = fallback.config.name) =>
      servers.find(({ config }) => config.name === serverName)?.health(),
    listSessions: async (serverName?: string) =>
      (serverName === undefined ? servers : [named(serverName)]).flatMap((server) =>
        server.sessions(),
      ),
    loadSession: async (sessionId: string, serverName?: string) =>
      pick(serverName, undefined).load(sessionId),
    deleteSession: async (sessionId: string, serverName?: string) =>
      holder(sessionId, serverName).forget(sessionId),
    setSessionMode: async (sessionId: string, mode: string, serverName?: string) =>
      holder(sessionId, serverName).session(sessionId).setMode(mode),
    setSessionModel: async (sessionId: string, model: string, serverName?: string) =>
      holder(sessionId, serverName).session(sessionId).setModel(model),
    serverNames: names,
    serverCount: names.length,
    defaultServerName: fallback.config.name,
    defaultAgent: fallback.config.agentId,
  } satisfies ACPClient)

  /** The server that has the session, where none is named. */
  function holder(sessionId: string, serverName: string | undefined): AcpServer {
    if (serverName !== undefined) return named(serverName)
    return (
      servers.find((server) =>
        server.sessions().some((session) => session.sessionId === sessionId),
      ) ?? fallback
    )
  }
}
