import { setTimeout as delay } from 'node:timers/promises'
import { ExomonadError } from '../../domain/errors.ts'
import type { ChannelResult } from '../terminals/headless.ts'
import type { HostedEnd } from '../../processes/host/hosted-process.ts'
import type { CreateSession, Session, SessionOptions } from '../terminals/detached/hosted.ts'
import type { AcpConnection, AcpSession } from '../../../packages/subagents/src/acp/acp.ts'
import type { StartPiped } from '../../../packages/subagents/src/processes/start-piped.ts'
import { exitWords } from '../../../packages/subagents/src/acp/child.ts'
import { createConfinedFiles } from './confined-files.ts'
import { begin } from '../../../packages/subagents/src/acp/connection.ts'
import { createDaemonHooks } from './daemon-hooks.ts'
import { finalOutput } from '../../../packages/subagents/src/acp/failures.ts'
import { isRefusal } from './is-refusal.ts'
import { createMentions } from './mentions.ts'
import { createProgramReports } from './program-reports.ts'
import { createRendering } from './rendering.ts'
import { createRounds } from './rounds.ts'
import { createTerminals, type StartOnPipes } from './terminals.ts'
import { createTurns } from './turns.ts'

/**
 * How long a prompt that comes while the end of a turn is being checked waits for the answer.
 * Milliseconds.
 */
const SETTLE_LIMIT = 5_000
/**
 * What is still to be sent to the daemon when the program has ended holds its end for so long.
 * Milliseconds.
 */
const SEND_LIMIT = 2_000

export interface HostedSessionParts {
  readonly start: StartPiped
  /** Of terminals. */
  readonly startOnPipes: StartOnPipes
  /** Milliseconds; see AcpOptions. */
  readonly startTimeout?: number
  readonly grace?: number
  readonly cancelTimeout?: number
}

/**
 * Sessions of the Agent Client Protocol as the detached host holds them: the program begins at
 * once, its session and first prompt follow.
 */
export const createHostedSessions =
  (parts: HostedSessionParts): CreateSession =>
  (options) =>
    hostSession(options, parts)

function hostSession(
  { agentId, name, cwd, env, argv, session: launch, log, complain }: SessionOptions,
  parts: HostedSessionParts,
): Session {
  const hooks = createDaemonHooks({ daemon: launch.daemon, complain })
  const mentions = createMentions()
  const rounds = createRounds()
  let fits = true
  const view = createRendering((text) => {
    fits = log.write('out', text)
  })

  let session: AcpSession | null = null
  let canLoad = false
  let ended: HostedEnd | undefined
  let failed = false
  let leaving = false
  /** The turns that were asked for after the first. */
  let busy: Promise<void> = Promise.resolve()
  let typed = ''

  const turns = createTurns({
    maxTurns: launch.maxTurns,
    hooks,
    mentions,
    rounds,
    view,
    session: () => session,
    isLeaving: () => leaving,
    hasEnded: () => ended !== undefined,
    lives: async (afterError) =>
      child.pid !== 0 &&
      (!afterError || (await Promise.race([child.ended.then(() => false), delay(100, true)]))),
  })
  const reports = createProgramReports({
    launch,
    hooks,
    mentions,
    rounds,
    view,
    turns,
    session: () => session,
    congested: () => (fits ? undefined : log.drained()),
  })
  const terminals = createTerminals({
    start: parts.startOnPipes,
    root: launch.root,
    env: launch.env,
    ...(launch.behind === undefined ? {} : { behind: launch.behind }),
    ...(parts.grace === undefined ? {} : { grace: parts.grace }),
  })
  const { child, connected } = begin({
    start: parts.start,
    name,
    argv,
    cwd,
    env,
    ...(parts.startTimeout === undefined ? {} : { startTimeout: parts.startTimeout }),
    ...(parts.grace === undefined ? {} : { grace: parts.grace }),
    ...(parts.cancelTimeout === undefined ? {} : { cancelTimeout: parts.cancelTimeout }),
    handlers: {
      ...(launch.confined === true ? {} : { ...createConfinedFiles(launch.root), terminals }),
      isRefusal,
      update: reports.update,
      permission: (_sessionId, question, signal) => reports.permission(question, signal),
      warn: (message) => log.note(message),
      stderr: (text) => void log.write('err', text),
    },
  })

  async function open(connection: AcpConnection): Promise<AcpSession> {
    const { mcpServers, load } = launch
    if (load !== null) {
      try {
        return await connection.loadSession({ sessionId: load, cwd, mcpServers })
      } catch (error) {
        if (
          !(error instanceof ExomonadError) ||
          (await Promise.race([child.ended.then(() => true), delay(100, false)]))
        )
          throw error
        log.note(`the session ${load} could not be taken up, a new one begins: ${error.message}`)
      }
    }
    return await connection.newSession({ cwd, mcpServers })
  }

  async function live(): Promise<void> {
    const connection = await connected
    canLoad = connection.capabilities.load !== null
    const opened = await open(connection)
    if (launch.model !== null) await opened.setModel(launch.model)
    if (launch.mode !== null) await opened.setMode(launch.mode)
    session = opened
    if (opened.loaded) view.note(`the session ${opened.id} was taken up`)
    hooks.notify('session-start', { sessionId: opened.id })
    if (launch.prompt === null) turns.ready()
    else await turns.run(launch.prompt)
  }

  const running = live().catch(async (error: unknown) => {
    const words = error instanceof Error ? error.message : String(error)
    failed = !leaving
    turns.fail(words)
    log.note(words)
    if (!(error instanceof ExomonadError)) complain(error)
    await child.end()
  })

  const end = child.ended.then(async (exit): Promise<HostedEnd> => {
    await connected.then(
      (connection) => connection.ended,
      () => {},
    )
    // The turn that was cut off is reported first.
    await Promise.race([running.then(() => busy), delay(SEND_LIMIT)])
    const hadError = turns.reason?.startsWith('error:') === true
    if (!leaving && !failed)
      log.note(
        `${exitWords(exit)}.${exit.exitCode === 0 || hadError ? '' : finalOutput(exit.stderr)}`,
      )
    if (!leaving)
      hooks.notify('session-end', {
        reason: failed || hadError ? (turns.reason ?? '') : exitWords(exit),
      })
    if (!leaving) await Promise.race([hooks.settled(), delay(SEND_LIMIT)])
    // One that was ended because it could not begin did not end well, whatever it made of the
    // signal.
    const how =
      failed && exit.exitCode !== 127
        ? {
            exitCode: exit.exitCode === null || exit.exitCode === 0 ? 1 : exit.exitCode,
            exitSignal: null,
          }
        : { exitCode: exit.exitCode, exitSignal: exit.signal }
    await log.close()
    ended = how
    return how
  })

  async function prompt(text: string): Promise<ChannelResult> {
    if (turns.stopping !== null) await Promise.race([turns.stopping, delay(SETTLE_LIMIT)])
    if (ended !== undefined || leaving) return { kind: 'refused', reason: 'its program has ended' }
    if (turns.state === 'starting') return { kind: 'refused', reason: 'it is still starting' }
    if (turns.state !== 'idle') return { kind: 'refused', reason: 'a turn is under way' }
    busy = turns.run(text).catch(complain)
    return { kind: 'accepted' }
  }

  return {
    pid: child.pid,
    get ended() {
      return ended
    },
    end,
    paste: async (text) => {
      typed += text
      return { kind: 'typed' }
    },
    enter: async () => {
      const text = typed
      if (text === '') return { kind: 'typed' }
      const result = await prompt(text)
      if (result.kind === 'refused') return { kind: 'busy', reason: result.reason }
      typed = ''
      return { kind: 'typed' }
    },
    escape: async () => {
      turns.cancel()
      return { kind: 'typed' }
    },
    leave: () => {
      if (leaving) return
      leaving = true
      turns.cancel()
    },
    session: () => ({
      agentId,
      sessionId: session?.id ?? null,
      state: turns.state,
      reason: turns.reason,
      turns: turns.rounds,
      toolCalls: rounds.toolCalls,
      lastText: rounds.lastText,
      usage: turns.usage,
      models: session?.models().map(({ id }) => id) ?? [],
      modes: session?.modes().map(({ id }) => id) ?? [],
      canLoad,
    }),
    prompt,
    mentions: mentions.find,
  }
}
