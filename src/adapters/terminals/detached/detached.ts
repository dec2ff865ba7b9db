import { readTrace } from '../../../pane-trace.ts'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { ExomonadError } from '../../../errors.ts'
import type { PaneId } from '../../../ids.ts'
import type { Log } from '../../../log.ts'
import { programFile } from '../../../package-root.ts'
import { createDeaths } from '../deaths.ts'
import { endPanes } from '../../../processes/end-processes.ts'
import { createHostClient } from '../../../processes/host/host-client.ts'
import { TERMINAL_HOST } from '../../../processes/host/location.ts'
import type { Holder, Pane, TypeResult } from '../holder.ts'
import { paneGone } from '../pane-gone.ts'
import { isForeground, isRunning } from '../../../processes/processes.ts'
import { checkOpen, programWithoutDescriptors, titleOf } from '../program.ts'
import { PROTOCOL, type HostedPane, type Verbs } from './protocol.ts'

const ATTACH = programFile('adapters/terminals/detached/attach')
const ANSWER_TIMEOUT = 10_000
const START_TIMEOUT = 15_000
const CLOSE_GRACE = 2000
const OPEN_ATTEMPTS = 3
const STOP_POLL = 10
const STOP_LIMIT = 5000

export interface HeadlessOptions {
  /** Folder for the host's lock, log, record and socket; made 0700 where it is not there. */
  readonly stateDir: string
  /** For the socket where the state folder's path is too long; the default is a folder of the user's own below TMPDIR. */
  readonly runtimeDir?: string
  /** Environment of the host and, with what `open` adds, of every pane. Scrubbed by the caller. */
  readonly environment: Readonly<Record<string, string>>
  /** The Node that runs the host. */
  readonly node: string
  readonly log: Log
  /** Milliseconds the host may take to answer; 10,000. */
  readonly answerTimeout?: number
  /** Milliseconds the host may take to start; 15,000. */
  readonly startTimeout?: number
  /** Milliseconds a program has between hang-up and SIGKILL; 2,000. */
  readonly closeGrace?: number
}

/** Terminals without tmux, in a host process that outlives the daemon. */
export function createHeadless(options: HeadlessOptions): Holder {
  const { stateDir, environment, node, log, answerTimeout = ANSWER_TIMEOUT, startTimeout = START_TIMEOUT, closeGrace = CLOSE_GRACE } = options
  const runtimeDir = options.runtimeDir ?? join(environment['TMPDIR'] ?? '/tmp', `exomonad-${String(process.getuid?.() ?? 0)}`)
  let disposed = false

  const host = createHostClient<Verbs>({
    names: TERMINAL_HOST,
    called: 'terminal host',
    protocol: PROTOCOL,
    program: programFile('adapters/terminals/detached/host'),
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

  const listHosted = async (): Promise<HostedPane[]> => {
    const answer = await host.ask('list', {})
    return answer.kind === 'no-host' ? [] : answer.gives
  }
  const describe = async (pane: HostedPane): Promise<Pane> => ({
    ...pane,
    title: pane.title ?? null,
    pasted: readTrace(pane.pasted),
    endedAt: pane.endedAt ?? null,
    entered: readTrace(pane.entered),
    inMode: false,
    foreground: pane.dead ? null : await isForeground(pane.pid),
  })
  const list = async () => await Promise.all((await listHosted()).map(describe))
  const deaths = createDeaths({ list, log })

  const start = async () => {
    await host.start()
    await deaths.look()
  }
  const type = async (paneId: PaneId, text: string, paste: boolean, key?: string): Promise<TypeResult> => {
    const answer = await host.ask('type', { paneId, text, paste, ...(key !== undefined && { key }) }, { once: true })
    return answer.kind === 'no-host' ? { kind: 'gone' } : answer.gives
  }

  return {
    name: 'headless',
    start,
    open: async (pane) => {
      await checkOpen(pane)
      const { agentId, name, cwd, env, argv, columns, rows } = pane
      const openId = randomUUID()
      for (let attempt = 0; attempt < OPEN_ATTEMPTS; attempt += 1) {
        const answer = await host.ask('open', {
          openId,
          agentId,
          name: titleOf(name),
          cwd,
          env: { ...environment, ...env },
          argv: programWithoutDescriptors(argv),
          columns,
          rows,
        })
        if (answer.kind === 'answer') {
          deaths.opened(answer.gives.paneId, agentId)
          return answer.gives
        }
        await start()
      }
      throw new ExomonadError(
        'MULTIPLEXER_UNAVAILABLE',
        `The terminal host ended again and again while a pane for ${name} was opened. Run \`exomonad doctor\`.`,
      )
    },
    list,
    inspect: async (paneId) => {
      const pane = (await listHosted()).find((hosted) => hosted.paneId === paneId)
      return pane === undefined ? undefined : await describe(pane)
    },
    paste: async (paneId, text, key) => await type(paneId, text, true, key),
    pressEnter: async (paneId, key) => await type(paneId, '\r', false, key),
    pressEscape: async (paneId) => await type(paneId, '\u001B', false),
    capture: async (paneId, { lines = 0 } = {}) => {
      const answer = await host.ask('capture', { paneId, lines })
      if (answer.kind === 'no-host' || answer.gives === null) throw paneGone(paneId)
      return answer.gives.text
    },
    captureStyled: async (paneId) => {
      const answer = await host.ask('capture', { paneId, lines: 0, styled: true })
      if (answer.kind === 'no-host' || answer.gives === null) throw paneGone(paneId)
      return answer.gives.text
    },
    rename: async (paneId, name) => {
      const answer = await host.ask('rename', { paneId, name: titleOf(name) })
      if (answer.kind === 'no-host' || !answer.gives) throw paneGone(paneId)
    },
    close: async (paneId) => {
      const pane = (await listHosted()).find((hosted) => hosted.paneId === paneId)
      if (pane === undefined) return
      await endPanes([{ ...pane, ended: pane.dead }], { grace: closeGrace })
      await host.ask('settle', { paneId })
      await deaths.look()
      await host.ask('remove', { paneId })
      await deaths.look()
    },
    endLeftBehind: (agentId) => endPanes([{ pid: 0, agentId, ended: true }], { grace: closeGrace }),
    onDeath: deaths.onDeath,
    attachCommand: (paneId) => [node, ATTACH, host.socketPath, paneId],
    viewCommand: (paneId) => [node, ATTACH, host.socketPath, paneId, 'view'],
    shutdown: async () => {
      const hello = await host.ask('hello', {})
      if (hello.kind === 'no-host') return
      const panes = await listHosted()
      await endPanes(
        panes.map((pane) => ({ ...pane, ended: pane.dead })),
        { grace: closeGrace },
      )
      await Promise.all(panes.map(async ({ paneId }) => await host.ask('settle', { paneId })))
      await deaths.look()
      await host.ask('shutdown', {}, { once: true })
      for (let waited = 0; waited < STOP_LIMIT && (await isRunning(hello.gives.pid)); waited += STOP_POLL) await delay(STOP_POLL)
      await deaths.look()
    },
    dispose: async () => {
      disposed = true
      host.close()
    },
  }
}
