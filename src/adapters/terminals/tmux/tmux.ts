import { setTimeout as delay } from 'node:timers/promises'
import type { PaneId } from '../../../domain/ids.ts'
import type { Log } from '../../../runtime/log.ts'
import { createDeaths } from '../deaths.ts'
import { exec as execDirectly, type Exec } from '../../../processes/exec.ts'
import { endPanes } from '../../../processes/end-processes.ts'
import type { Holder, Pane } from '../holder.ts'
import { createDeadline } from '../../../../packages/subagents/src/processes/deadline.ts'
import { sendSignal } from '../../../../packages/subagents/src/processes/signal.ts'
import { paneGone } from '../pane-gone.ts'
import { checkOpen } from '../program.ts'
import { attachCommand } from './attach.ts'
import { closeRanks, renameCommand, windowOf, windowsOf } from './beside.ts'
import { createCapture } from './capture.ts'
import { createConnection } from './connection.ts'
import { createLookUp } from './look-up.ts'
import { AGENTS, openPane } from './open.ts'
import { listCommand, parsePanes, unnoticedBy } from './panes.ts'
import { command, sequence } from './quote.ts'
import { ensureServer, requireVersion, serverFacts, stopServer } from './server.ts'
import { sizeCommands } from './sizes.ts'
import { showCommand, statusCommands } from './status.ts'
import { pasteText, pressKey } from './type.ts'
import { endLeftViews, openOwnView } from './own-view.ts'
import { viewCommand } from './view.ts'

const COMMAND_TIMEOUT = 5000
const CLOSE_GRACE = 2000

export interface TmuxOptions {
  /** Name for `tmux -L`: a server of our own. */
  readonly socketName: string
  /**
   * Environment of the server and, with what `open` adds, of every pane. Scrubbed by the caller.
   */
  readonly environment: Readonly<Record<string, string>>
  readonly log: Log
  /** Runs `tmux`; the default starts it from this process itself. */
  readonly exec?: Exec
  /** Program to run; the default is `tmux` on the environment's PATH. */
  readonly binary?: string
  /** Milliseconds a tmux command may take; 5,000. */
  readonly commandTimeout?: number
  /**
   * Milliseconds the control client may take before commands go by processes of their own; as
   * `commandTimeout`.
   */
  readonly controlTimeout?: number
  /** Milliseconds a program has between hang-up and SIGKILL; 2,000. */
  readonly closeGrace?: number
}

const SETTLE_LIMIT = 1000
const SETTLE_POLL = 10
const NOTICE_ATTEMPTS = 4
const NOTICE_DELAY = 5

const hasEnded = (pane: Pane): boolean => pane.exitCode !== null || pane.exitSignal !== null
const isPaneId = (paneId: PaneId): boolean => /^%\d+$/.test(paneId)

/**
 * Panes in a tmux server of our own, each in its window or beside another. Pane ids count from %0
 * for each server: one from before a restart may name another pane.
 */
export function createTmux(options: TmuxOptions): Holder {
  const {
    socketName,
    environment,
    log,
    exec = execDirectly,
    binary = 'tmux',
    commandTimeout = COMMAND_TIMEOUT,
    controlTimeout = commandTimeout,
    closeGrace = CLOSE_GRACE,
  } = options
  let disposed = false
  let socketPath: string | undefined
  let starting: Promise<void> | undefined
  let wasStarted = false

  const connection = createConnection({
    binary,
    socketName,
    environment,
    exec,
    timeout: commandTimeout,
    controlTimeout,
    log,
    onChange: () => {
      if (!disposed) void deaths.look()
    },
  })

  const query = async (paneId?: PaneId): Promise<Pane[]> => {
    for (let attempt = 1; ; attempt += 1) {
      const reply = await connection.ask(listCommand(paneId))
      if (reply.kind === 'no-server') return []
      const panes = await parsePanes(reply.lines)
      const server = attempt < NOTICE_ATTEMPTS ? await unnoticedBy(reply.lines, panes) : undefined
      if (server === undefined) return panes
      // Where it has gone as well, the next list shows it.
      sendSignal(server, 'SIGCHLD')
      await delay(NOTICE_DELAY)
    }
  }
  const find = createLookUp(query)
  const deaths = createDeaths({ list: async () => await query(), log })

  const ensureStarted = async () => {
    await ensureServer(
      connection,
      [...statusCommands(AGENTS), ...sizeCommands(binary, AGENTS)],
      log,
    )
    if (!wasStarted) await endLeftViews(connection)
    wasStarted = true
    await connection.connect()
    socketPath = (await serverFacts(connection))?.socketPath ?? socketPath
    await deaths.look()
  }
  /** Waits until tmux has noted how a program that is gone ended. */
  const settle = async (paneId: PaneId) => {
    for (const notExpired = createDeadline(SETTLE_LIMIT); notExpired(); await delay(SETTLE_POLL)) {
      const pane = await find(paneId)
      if (pane === undefined || hasEnded(pane)) return
    }
  }
  const capture = createCapture(connection)
  const screen = async (paneId: PaneId, ...how: string[]): Promise<string[]> => {
    const lines = isPaneId(paneId) ? await capture(paneId, ...how) : undefined
    if (lines === undefined) throw paneGone(paneId)
    return lines
  }
  const removePanes = async (paneIds: readonly PaneId[]): Promise<void> => {
    const kill = (paneId: PaneId): string => command('kill-pane', '-t', paneId)
    const windows = await windowsOf(connection)
    const isShared = (paneId: PaneId): boolean => (windows.get(paneId)?.panes ?? 1) > 1
    for (const paneId of paneIds.filter((paneId) => !isShared(paneId)))
      await connection.ask(kill(paneId))
    // Whether others are left in a window changes with each.
    for (const paneId of paneIds.filter(isShared)) {
      const window = await windowOf(connection, paneId)
      await connection.ask(
        window === undefined ? kill(paneId) : sequence(kill(paneId), closeRanks(window)),
      )
    }
  }
  const closeAll = async (paneIds: readonly PaneId[]): Promise<void> => {
    const found = await Promise.all(paneIds.filter(isPaneId).map(find))
    const panes = found.filter((pane) => pane !== undefined)
    if (panes.length === 0) return
    await endPanes(
      panes.map((pane) => ({ ...pane, ended: hasEnded(pane) })),
      { grace: closeGrace },
    )
    await Promise.all(panes.map(({ paneId }) => settle(paneId)))
    await deaths.look()
    await removePanes(panes.map(({ paneId }) => paneId))
    await deaths.look()
  }
  const startOnce = async () => {
    starting ??= ensureStarted().finally(() => (starting = undefined))
    await starting
  }

  return {
    name: 'tmux',
    start: async () => {
      await requireVersion(connection)
      await startOnce()
    },
    open: async (pane) => {
      await checkOpen(pane)
      const opened = await openPane(connection, pane, startOnce, commandTimeout)
      deaths.opened(opened.paneId, pane.agentId)
      return opened
    },
    list: async () => await query(),
    inspect: async (paneId) => (isPaneId(paneId) ? await find(paneId) : undefined),
    paste: async (paneId, text, key) =>
      isPaneId(paneId)
        ? await pasteText(connection, paneId, text, { key, timeout: commandTimeout })
        : { kind: 'gone' },
    pressEnter: async (paneId, key) =>
      isPaneId(paneId)
        ? await pressKey(connection, paneId, 'Enter', { key, timeout: commandTimeout })
        : { kind: 'gone' },
    pressEscape: async (paneId) =>
      isPaneId(paneId)
        ? await pressKey(connection, paneId, 'Escape', { timeout: commandTimeout })
        : { kind: 'gone' },
    capture: async (paneId, { lines = 0 } = {}) => {
      const shown = await screen(paneId, '-J', '-S', String(-lines))
      return shown
        .map((line) => line.trimEnd())
        .join('\n')
        .trimEnd()
    },
    captureStyled: async (paneId, { lines = 0 } = {}) => {
      const scrollback = lines === 0 ? [] : ['-J', '-S', String(-lines)]
      return (await screen(paneId, '-e', '-N', ...scrollback)).join('\n')
    },
    view: async (paneId, how) => {
      if (!isPaneId(paneId)) throw paneGone(paneId)
      const server = { binary, socketPath, socketName, environment }
      return await openOwnView(connection, server, paneId, how)
    },
    rename: async (paneId, name, shown) => {
      const rename = renameCommand(paneId, name)
      const reply = isPaneId(paneId)
        ? await connection.ask(
            shown === undefined ? rename : sequence(rename, showCommand(paneId, shown)),
          )
        : undefined
      if (reply?.kind !== 'done' || reply.errors.length > 0) throw paneGone(paneId)
    },
    close: (paneId) => closeAll([paneId]),
    closeAll,
    endLeftBehind: (agentId) => endPanes([{ pid: 0, agentId, ended: true }], { grace: closeGrace }),
    onDeath: deaths.onDeath,
    attachCommand: (paneId) => attachCommand(binary, socketPath, socketName, paneId),
    viewCommand: (paneId) => viewCommand({ binary, socketPath, socketName }, paneId),
    shutdown: async () => {
      const panes = await query()
      await endPanes(
        panes.map((pane) => ({ ...pane, ended: hasEnded(pane) })),
        { grace: closeGrace },
      )
      await Promise.all(panes.map(async ({ paneId }) => await settle(paneId)))
      const facts = await serverFacts(connection)
      await deaths.look()
      connection.close()
      if (facts !== undefined) await stopServer(connection, facts)
      await deaths.look()
      disposed = true
    },
    dispose: async () => {
      disposed = true
      connection.close()
    },
  }
}
