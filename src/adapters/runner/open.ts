import { readTrace } from '../../pane-trace.ts'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { ExomonadError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { programFile } from '../../package-root.ts'
import type { Pane } from '../terminals/holder.ts'
import { createHostClient } from '../../processes/host/host-client.ts'
import { RUNNER } from '../../processes/host/location.ts'
import { createDeaths } from '../terminals/deaths.ts'
import { endPanes } from '../../processes/end-processes.ts'
import { paneGone } from '../terminals/pane-gone.ts'
import { isRunning } from '../../processes/processes.ts'
import { checkOpen, titleOf } from '../terminals/program.ts'
import { KILL_GRACE, PROTOCOL, type HostedEntry, type Verbs } from './protocol.ts'
import type { Runner } from './runner.ts'

const ANSWER_TIMEOUT = 10_000
const START_TIMEOUT = 15_000
/** Beyond the grace that programs have to end, and the time a killed one may take to disappear. */
const END_TIMEOUT = KILL_GRACE + 15_000
/** A program may take its time to read what is written to it. */
const WRITE_TIMEOUT = 60_000
const OPEN_ATTEMPTS = 3
const STOP_POLL = 10
const STOP_LIMIT = 5000

export interface RunnerOptions {
  /** Folder for the runner’s lock, log, record and socket; made 0700 where it is not there. */
  readonly stateDir: string
  /** For the socket where the state folder's path is too long; the default is a folder of the user's own below TMPDIR. */
  readonly runtimeDir?: string
  /** Environment of the runner and, with what `open` adds, of all it starts. Scrubbed by the caller. */
  readonly environment: Readonly<Record<string, string>>
  /** The Node that runs the runner. */
  readonly node: string
  readonly log: Log
  /** Milliseconds the runner may take to answer; 10,000. */
  readonly answerTimeout?: number
  /** Milliseconds the runner may take to start; 15,000. */
  readonly startTimeout?: number
}

export interface RunnerClient extends Runner {
  /** Connects to the runner where one runs, so that deaths are told; starts none. */
  adopt(): Promise<void>
}

/** What runs without a terminal, in a process that outlives the daemon. It is started by the first `open`. */
export function createRunner(options: RunnerOptions): RunnerClient {
  const { stateDir, environment, node, log, answerTimeout = ANSWER_TIMEOUT, startTimeout = START_TIMEOUT } = options
  const runtimeDir = options.runtimeDir ?? join(environment['TMPDIR'] ?? '/tmp', `exomonad-${String(process.getuid?.() ?? 0)}`)
  let disposed = false

  const host = createHostClient<Verbs>({
    names: RUNNER,
    called: 'runner of headless agents',
    protocol: PROTOCOL,
    program: programFile('runner'),
    stateDir,
    runtimeDir,
    environment,
    node,
    timeout: answerTimeout,
    startTimeout,
    onChange: () => {
      if (!disposed) void deaths.look()
    },
  })

  const entries = async (): Promise<HostedEntry[]> => {
    const answer = await host.ask('list', {})
    return answer.kind === 'no-host' ? [] : answer.gives
  }
  const describe = (entry: HostedEntry): Pane => ({
    ...entry,
    pasted: readTrace(entry.pasted),
    endedAt: entry.endedAt ?? null,
    entered: readTrace(entry.entered),
    title: null,
    inMode: false,
    foreground: null,
    humanActiveAt: null,
  })
  const list = async () => (await entries()).map(describe)
  const deaths = createDeaths({ list, log })

  const start = async () => {
    await host.start()
    await deaths.look()
  }
  const text = async (takes: Verbs['capture']['takes']): Promise<string> => {
    const answer = await host.ask('capture', takes)
    if (answer.kind === 'no-host' || answer.gives === null) throw paneGone(takes.paneId)
    return answer.gives.text
  }

  return {
    name: 'runner',
    start,
    adopt: deaths.look,
    open: async (pane) => {
      await checkOpen(pane)
      const { agentId, name, cwd, env, argv, rows, program = { kind: 'process' }, output = null, outputBound } = pane
      const openId = randomUUID()
      for (let attempt = 0; attempt < OPEN_ATTEMPTS; attempt += 1) {
        const answer = await host.ask('open', {
          openId,
          agentId,
          name: titleOf(name),
          cwd,
          env: { ...environment, ...env },
          argv: [...argv],
          rows,
          program,
          output,
          ...(outputBound === undefined ? {} : { outputBound }),
        })
        if (answer.kind === 'answer') {
          deaths.opened(answer.gives.paneId, agentId)
          return answer.gives
        }
        await start()
      }
      throw new ExomonadError(
        'MULTIPLEXER_UNAVAILABLE',
        `The runner of headless agents ended again and again while ${name} was started. Run \`exomonad doctor\`.`,
      )
    },
    list,
    inspect: async (paneId) => {
      const entry = (await entries()).find((hosted) => hosted.paneId === paneId)
      return entry === undefined ? undefined : describe(entry)
    },
    paste: async (paneId, pasted, key) => {
      const answer = await host.ask('paste', { paneId, text: pasted, key: key ?? null }, { once: true, timeout: WRITE_TIMEOUT })
      return answer.kind === 'no-host' ? { kind: 'gone' } : answer.gives
    },
    pressEnter: async (paneId, key) => {
      const answer = await host.ask('key', { paneId, key: 'enter', ...(key !== undefined && { submits: key }) }, { once: true, timeout: WRITE_TIMEOUT })
      return answer.kind === 'no-host' ? { kind: 'gone' } : answer.gives
    },
    pressEscape: async (paneId) => {
      const answer = await host.ask('key', { paneId, key: 'escape' }, { once: true })
      return answer.kind === 'no-host' ? { kind: 'gone' } : answer.gives
    },
    capture: (paneId, { lines = 0 } = {}) => text({ paneId, lines, styled: false }),
    captureStyled: (paneId) => text({ paneId, lines: 0, styled: true }),
    rename: async (paneId, name) => {
      const answer = await host.ask('rename', { paneId, name: titleOf(name) })
      if (answer.kind === 'no-host' || !answer.gives) throw paneGone(paneId)
    },
    close: async (paneId) => {
      const ended = await host.ask('end', { paneId }, { timeout: END_TIMEOUT })
      if (ended.kind === 'no-host' || !ended.gives) return
      await deaths.look()
      await host.ask('remove', { paneId })
      await deaths.look()
    },
    endLeftBehind: (agentId) => endPanes([{ pid: 0, agentId, ended: true }], { signal: 'SIGTERM', grace: KILL_GRACE }),
    onDeath: deaths.onDeath,
    attachCommand: (paneId) => [node, programFile('adapters/runner/attach'), host.socketPath, paneId],
    shutdown: async () => {
      const hello = await host.ask('hello', {})
      if (hello.kind === 'no-host') return
      await Promise.all((await entries()).map(({ paneId }) => host.ask('end', { paneId }, { timeout: END_TIMEOUT })))
      await deaths.look()
      await host.ask('shutdown', {}, { once: true })
      for (let waited = 0; waited < STOP_LIMIT && (await isRunning(hello.gives.pid)); waited += STOP_POLL) await delay(STOP_POLL)
      await deaths.look()
    },
    dispose: async () => {
      disposed = true
      host.close()
    },
    writeStdin: async (paneId, data) => {
      const answer = await host.ask('write', { paneId, data }, { once: true, timeout: WRITE_TIMEOUT })
      return answer.kind === 'no-host' ? { kind: 'gone' } : answer.gives
    },
    session: async (paneId) => {
      const answer = await host.ask('session', { paneId })
      return answer.kind === 'no-host' ? undefined : (answer.gives ?? undefined)
    },
    prompt: async (paneId, prompt) => {
      const answer = await host.ask('prompt', { paneId, text: prompt }, { once: true })
      if (answer.kind === 'no-host' || answer.gives === null) return { kind: 'refused', reason: 'it is not there any more' }
      return answer.gives
    },
    mentions: async (paneId, words) => {
      const answer = await host.ask('mentions', { paneId, words })
      return answer.kind === 'no-host' ? null : answer.gives
    },
  }
}
