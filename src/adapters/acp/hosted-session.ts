import { setTimeout as delay } from 'node:timers/promises'
import { ExomonadError } from '../../domain/errors.ts'
import type { ChannelResult, HostedSession } from '../terminals/headless.ts'
import type { HostedEnd } from '../../processes/host/hosted-process.ts'
import type { CreateSession, Session, SessionOptions } from '../terminals/detached/hosted.ts'
import type { Usage } from '../../domain/records.ts'
import type {
  AcpConnection,
  AcpPermission,
  AcpPermissionAnswer,
  AcpSession,
  AcpTool,
  AcpToolStatus,
  AcpUpdate,
} from '../../../packages/subagents/src/acp/acp.ts'
import type { StartPiped } from '../../../packages/subagents/src/processes/start-piped.ts'
import { exitWords } from '../../../packages/subagents/src/acp/child.ts'
import { createConfinedFiles } from './confined-files.ts'
import { begin } from '../../../packages/subagents/src/acp/connection.ts'
import { createDaemonHooks } from './daemon-hooks.ts'
import { finalOutput } from '../../../packages/subagents/src/acp/failures.ts'
import { isRefusal } from './is-refusal.ts'
import { createMentions } from './mentions.ts'
import { decide } from './permission-choice.ts'
import { createRendering } from './rendering.ts'
import { createRounds, type Told } from './rounds.ts'
import { createTerminals, type StartOnPipes } from './terminals.ts'
import { addUsage } from './turn-usage.ts'

/**
 * How long a prompt that comes while the end of a turn is being checked waits for the answer.
 * Milliseconds.
 */
const SETTLE_LIMIT = 5_000
/**
 * What is still to be told to the daemon when the program has ended holds its end for so long.
 * Milliseconds.
 */
const TELL_LIMIT = 2_000

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

  let state: HostedSession['state'] = 'starting'
  let reason: string | null = null
  let usage: Usage | null = null
  /** Rounds that began after there had been enough: they were broken off. */
  let beyond = 0
  let session: AcpSession | null = null
  let canLoad = false
  let ended: HostedEnd | undefined
  let failed = false
  let leaving = false
  /** Of the turn that is under way. */
  let turn: {
    readonly cancel: AbortController
    readonly begun: number
    tooMany: boolean
    readonly asking: string[]
  } | null = null
  /** Its turns, one after the other, and what the daemon says to their end. */
  let busy: Promise<void> = Promise.resolve()
  /** While the daemon is asked whether it may stop. */
  let stopping: Promise<unknown> | null = null
  let typed = ''

  const terminals = createTerminals({
    start: parts.startOnPipes,
    root: launch.root,
    env: launch.env,
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
      ...createConfinedFiles(launch.root),
      terminals,
      isRefusal,
      update: (sessionId, update) => updated(sessionId, update),
      permission: (_sessionId, question, signal) => permission(question, signal),
      warn: (message) => log.note(message),
      stderr: (text) => void log.write('err', text),
    },
  })

  const tell = (told: Told): void => {
    view.tool(told)
    const { id, title, kind, detail } = told.call
    // Outside a turn nothing works: that it did is no news. Nor is anything to whoever is ending
    // it.
    if (turn === null || leaving) return
    if (told.kind === 'started')
      hooks.tell('tool-start', { id, tool: title, kind: kind ?? 'other', detail: detail ?? '' })
    else hooks.tell('tool-end', { id, tool: title, status: told.status, detail: detail ?? '' })
  }

  function updated(sessionId: string, update: AcpUpdate): void | Promise<void> {
    if (session !== null && sessionId !== session.id) return
    if (update.kind === 'user') mentions.add(update.text)
    if (update.kind === 'tool' && update.tool.output !== null) mentions.add(update.tool.output)
    // A conversation that is taken up tells all of it again.
    if (session === null) return
    const before = rounds.rounds
    const told = rounds.take(update)
    if (
      turn !== null &&
      launch.maxTurns !== null &&
      rounds.rounds > before &&
      rounds.rounds - turn.begun > launch.maxTurns &&
      !turn.tooMany
    ) {
      turn.tooMany = true
      turn.cancel.abort()
    }
    view.update(update)
    told.forEach(tell)
    return fits ? undefined : log.drained()
  }

  const takeCall = (tool: AcpTool, status: AcpToolStatus): void =>
    rounds.take({ kind: 'tool', first: false, tool: { ...tool, status } }).forEach(tell)

  async function permission(
    { tool }: AcpPermission,
    signal: AbortSignal,
  ): Promise<AcpPermissionAnswer> {
    // Some announce no call that they ask about, and say no more of one that was denied.
    takeCall(tool, tool.status === 'in_progress' ? 'in_progress' : 'pending')
    const call = rounds.call(tool)
    const decided = decide(launch, { ...tool, title: call.title, kind: call.kind })
    if (decided !== 'ask') {
      if (decided === 'deny') {
        view.answered(call, 'deny', 'by its permissions')
        takeCall(tool, 'failed')
      }
      return decided
    }
    const mine = turn
    mine?.asking.push(call.title)
    view.asks(call)
    state = 'waiting'
    reason = `permission: ${mine?.asking[0] ?? call.title}`
    try {
      const answer = await hooks.permission({ tool: call.title, detail: call.detail ?? '' }, signal)
      view.answered(call, answer?.decision ?? 'cancelled', answer?.reason ?? null)
      if (answer?.decision === 'deny') takeCall(tool, 'failed')
      return answer?.decision ?? 'cancelled'
    } finally {
      mine?.asking.splice(mine.asking.indexOf(call.title), 1)
      if (turn === mine && mine !== null && state === 'waiting') {
        const [next] = mine.asking
        state = next === undefined ? 'running' : 'waiting'
        reason = next === undefined ? null : `permission: ${next}`
      }
    }
  }

  /** One turn, and those that the daemon’s objections make of it. */
  async function run(first: string): Promise<void> {
    let again = false
    for (let text: string | null = first; text !== null; again = true) {
      const over = await oneTurn(text)
      if (over === 'gone') return
      if (over === 'interrupted') {
        hooks.tell('interrupted', {})
        break
      }
      const asked = hooks.stop({ reason: over, again })
      stopping = asked
      text = await asked
      stopping = null
      if (leaving || ended !== undefined) return
    }
    state = 'idle'
  }

  /** Returns why it ended. */
  async function oneTurn(text: string): Promise<string> {
    const mine = {
      cancel: new AbortController(),
      begun: rounds.rounds,
      tooMany: false,
      asking: [] as string[],
    }
    turn = mine
    state = 'running'
    reason = null
    rounds.begin()
    mentions.add(text)
    view.prompt(text)
    hooks.tell('prompt', { prompt: text })
    try {
      const result = await session?.prompt(text, mine.cancel.signal)
      usage = addUsage(usage, result?.usage ?? null)
      reason = mine.tooMany ? 'max_turn_requests' : (result?.stopReason ?? 'end_turn')
    } catch (error) {
      reason = `error: ${error instanceof Error ? error.message : String(error)}`
    }
    rounds.end().forEach(tell)
    if (mine.tooMany) beyond += rounds.rounds - mine.begun - (launch.maxTurns ?? 0)
    turn = null
    if (reason !== 'end_turn')
      view.note(
        reason === 'max_turn_requests'
          ? `stopped after ${launch.maxTurns ?? 'its'} rounds of the model`
          : `the turn ended: ${reason}`,
      )
    else view.note('the turn ended')
    if (child.pid === 0 || leaving || !(await lives())) return 'gone'
    // Some end their turn so when a person denies them something: nobody broke it off, and it is
    // over.
    return reason === 'cancelled' && mine.cancel.signal.aborted ? 'interrupted' : reason
  }

  /** An error may be the first sign of its end. */
  const lives = async (): Promise<boolean> =>
    !reason?.startsWith('error:') ||
    (await Promise.race([child.ended.then(() => false), delay(100, true)]))

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
    hooks.tell('session-start', { sessionId: opened.id })
    if (launch.prompt === null) state = 'idle'
    else await run(launch.prompt)
  }

  const running = live().catch(async (error: unknown) => {
    const words = error instanceof Error ? error.message : String(error)
    failed = !leaving
    reason = `error: ${words}`
    log.note(words)
    if (!(error instanceof ExomonadError)) complain(error)
    await child.end()
  })

  const end = child.ended.then(async (exit): Promise<HostedEnd> => {
    await connected.then(
      (connection) => connection.ended,
      () => {},
    )
    // The turn that was cut off is told of first.
    await Promise.race([running.then(() => busy), delay(TELL_LIMIT)])
    if (!leaving && !failed)
      log.note(
        `${exitWords(exit)}.${exit.exitCode === 0 || reason?.startsWith('error:') === true ? '' : finalOutput(exit.stderr)}`,
      )
    if (!leaving)
      hooks.tell('session-end', {
        reason: failed || reason?.startsWith('error:') === true ? (reason ?? '') : exitWords(exit),
      })
    if (!leaving) await Promise.race([hooks.settled(), delay(TELL_LIMIT)])
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
    if (stopping !== null) await Promise.race([stopping, delay(SETTLE_LIMIT)])
    if (ended !== undefined || leaving) return { kind: 'refused', reason: 'its program has ended' }
    if (state === 'starting') return { kind: 'refused', reason: 'it is still starting' }
    if (state !== 'idle') return { kind: 'refused', reason: 'a turn is under way' }
    state = 'running'
    busy = run(text).catch(complain)
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
      turn?.cancel.abort()
      return { kind: 'typed' }
    },
    leave: () => {
      if (leaving) return
      leaving = true
      turn?.cancel.abort()
    },
    session: () => ({
      agentId,
      sessionId: session?.id ?? null,
      state,
      reason,
      turns: rounds.rounds - beyond,
      toolCalls: rounds.toolCalls,
      lastText: rounds.lastText,
      usage,
      models: session?.models().map(({ id }) => id) ?? [],
      modes: session?.modes().map(({ id }) => id) ?? [],
      canLoad,
    }),
    prompt,
    mentions: mentions.find,
  }
}
