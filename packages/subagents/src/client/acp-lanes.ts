import { untilAborted } from '../abort.ts'
import type { AcpServerConfig, AcpServerDeps } from './acp-server-config.ts'
import { createAcpServer, type AcpServer } from './acp-server.ts'
import type { ACPGenerateOptions } from './acp-types.ts'

/**
 * OpenCode knows MCP servers by their names alone, for all sessions of a process: a second session
 * would take the first one’s tools.
 */
const SHARES_SERVERS = /opencode/i

/**
 * A server whose sessions run in one process, or, for agents that share MCP servers between
 * sessions, in a process each. Further processes end with their sessions.
 */
export function createLanes(config: AcpServerConfig, deps: AcpServerDeps): AcpServer {
  const first = createAcpServer(config, deps)
  const others = new Set<AcpServer>()
  const taken = new Set<AcpServer>()
  const byConversation = new WeakMap<object, AcpServer>()
  const ending = new Set<Promise<void>>()
  const all = (): AcpServer[] => [first, ...others]
  const holderOf = (sessionId: string): AcpServer =>
    all().find((lane) => lane.sessions().some((session) => session.sessionId === sessionId)) ??
    first
  const isAlone = (): boolean =>
    config.processPerSession ?? SHARES_SERVERS.test(first.self().name ?? '')

  /** One in which a session can begin; taken at once, so that nobody else begins one there. */
  const free = (): AcpServer => {
    if (!isAlone()) return first
    const lane =
      all().find((one) => !taken.has(one) && one.sessions().length === 0) ??
      createAcpServer(config, deps)
    if (lane !== first) others.add(lane)
    taken.add(lane)
    return lane
  }
  /** Ends what has nothing left to do. */
  const tidy = (lane: AcpServer): void => {
    if (lane === first || taken.has(lane) || lane.sessions().length > 0 || !others.delete(lane))
      return
    const end = lane.close().finally(() => ending.delete(end))
    ending.add(end)
  }
  const laneFor = async ({
    sessionId,
    conversation,
    signal,
  }: ACPGenerateOptions & { readonly signal: AbortSignal }): Promise<AcpServer> => {
    if (sessionId !== undefined) return holderOf(sessionId)
    // Who it is shows when it was started.
    await untilAborted(first.connect(), signal)
    const before = conversation === undefined ? undefined : byConversation.get(conversation)
    if (before !== undefined && (before === first || others.has(before))) return before
    const lane = free()
    if (conversation !== undefined) byConversation.set(conversation, lane)
    return lane
  }
  const using = async <Result>(lane: AcpServer, work: () => Promise<Result>): Promise<Result> => {
    taken.add(lane)
    try {
      return await work()
    } finally {
      taken.delete(lane)
      tidy(lane)
    }
  }

  return {
    config,
    connect: first.connect,
    self: first.self,
    health: first.health,
    turn: async (text, options, onChunk) => {
      const lane = await laneFor(options)
      return using(lane, () => lane.turn(text, options, onChunk))
    },
    sessions: () => all().flatMap((lane) => lane.sessions()),
    load: async (sessionId) => {
      const holder = holderOf(sessionId)
      if (holder.sessions().some((session) => session.sessionId === sessionId))
        return holder.load(sessionId)
      await first.connect()
      const lane = free()
      return using(lane, () => lane.load(sessionId))
    },
    session: (sessionId) => holderOf(sessionId).session(sessionId),
    forget: (sessionId) => {
      const lane = holderOf(sessionId)
      lane.forget(sessionId)
      tidy(lane)
    },
    close: async () => {
      await Promise.all([...all().map((lane) => lane.close()), ...ending])
    },
  }
}
