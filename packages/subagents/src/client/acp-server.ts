import type { AcpConnection, AcpSession } from '../acp/acp.ts'
import { abortReason, anySignal, untilAborted } from '../abort.ts'
import { ExomonadError } from '../errors.ts'
import { createAcpProcess, type AcpProcess } from './acp-process.ts'
import { disposed, type AcpServerConfig, type AcpServerDeps } from './acp-server-config.ts'
import { createAcpSessions, type AcpSessions, type OpenSession } from './acp-sessions.ts'
import type {
  ACPGenerateOptions,
  ACPServerHealth,
  ACPSessionInfo,
  ACPStreamChunk,
} from './acp-types.ts'
import { firstPrompt } from './first-prompt.ts'

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
    onChunk: (chunk: ACPStreamChunk) => void,
  ): Promise<TurnEnd>
  sessions(): ACPSessionInfo[]
  load(sessionId: string): Promise<ACPSessionInfo>
  /** INVALID_ARG with the sessions that there are. */
  session(sessionId: string): AcpSession
  forget(sessionId: string): void
  /** Ends its turns, sessions and process for good. */
  close(): Promise<void>
}

export function createAcpServer(config: AcpServerConfig, deps: AcpServerDeps): AcpServer {
  const sessions: AcpSessions = createAcpSessions(config, deps, {
    connect: () => program.connect(),
    requireCurrent: (connection) => program.requireCurrent(connection),
  })
  const program: AcpProcess = createAcpProcess(config, deps, {
    handlers: sessions.handlers,
    ended: sessions.dropAll,
  })

  return {
    config,
    connect: program.connect,
    self: program.self,
    health: program.health,
    turn: async (text, options, onChunk) => {
      const isOwn = options.sessionId === undefined && options.conversation === undefined
      const taking = sessions.take(options)
      const over = ({ session }: OpenSession): void =>
        sessions.drop(session.id, 'The session is over.')
      const one = await untilAborted(taking, options.signal).catch((thrown: unknown) => {
        // A session that comes too late is nobody’s.
        if (isOwn) taking.then(over).catch(() => {})
        throw thrown
      })
      const signal = anySignal(options.signal, one.ended.signal)
      const turn = one.queue.then(() => prompt(one, text, options, signal, onChunk))
      one.queue = turn.catch(() => {})
      try {
        return await turn
      } catch (thrown) {
        // What was thrown for the end of the program says why it ended.
        throw signal.aborted ? abortReason(signal) : thrown
      } finally {
        if (isOwn) over(one)
      }
    },
    sessions: () => sessions.all().map((one) => infoOf(one, config)),
    load: async (sessionId) => infoOf(await sessions.load(sessionId), config),
    session: (sessionId) => sessions.find(sessionId).session,
    forget: (sessionId) => {
      sessions.find(sessionId)
      sessions.drop(sessionId, `Session ${sessionId} was deleted.`)
    },
    close: async () => {
      sessions.dropAll(disposed(config.name).message)
      await program.close()
    },
  }
}

/** A turn of a session, once those before it are over. */
async function prompt(
  one: OpenSession,
  text: string,
  { tools, systemPrompt, history }: ACPGenerateOptions,
  signal: AbortSignal,
  onChunk: OpenSession['onChunk'],
): Promise<TurnEnd> {
  if (signal.aborted) throw abortReason(signal)
  if (tools !== undefined && one.access === undefined) {
    throw new ExomonadError(
      'NOT_AVAILABLE',
      `Session ${one.session.id} was begun without tools and cannot be given any. Begin another.`,
    )
  }
  one.access?.bind(tools ?? null)
  Object.assign(one, { tools, onChunk })
  one.known.clear()
  try {
    const whole = one.fresh ? firstPrompt(text, systemPrompt, history) : text
    one.fresh = false
    const { stopReason, usage } = await one.session.prompt(whole, signal)
    if (signal.aborted) throw abortReason(signal)
    return { sessionId: one.session.id, stopReason, usage }
  } finally {
    one.access?.bind(null)
    Object.assign(one, { tools: undefined, onChunk: undefined })
  }
}

const infoOf = ({ session }: OpenSession, config: AcpServerConfig): ACPSessionInfo =>
  Object.freeze({
    sessionId: session.id,
    serverName: config.name,
    cwd: config.cwd,
    mode: session.mode(),
    model: session.model(),
    modes: session.modes().map(({ id }) => id),
    models: session.models().map(({ id }) => id),
  })
