import { addToTrace } from '../../../pane-trace.ts'
import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { ExomonadError } from '../../../errors.ts'
import type { PaneId } from '../../../ids.ts'
import type { Log } from '../../../log.ts'
import { createDeaths } from '../deaths.ts'
import { endPanes } from '../../../processes/end-processes.ts'
import { paneGone } from '../pane-gone.ts'
import { shared } from '../../../processes/processes.ts'
import { checkOpen } from '../program.ts'
import type { Multiplexer, Pane, TypeResult } from '../holder.ts'
import { attachCommand } from './attach.ts'
import { endLeftClients } from './client.ts'
import { createCommands } from './commands.ts'
import { createKeeper } from './keeper.ts'
import { openPane } from './open.ts'
import { createNames } from './names.ts'
import { describePane, isPaneId, type Listed } from './panes.ts'
import { lastTyped } from './people.ts'
import { createQueries } from './queries.ts'
import { createRecords } from './records.ts'
import { BARS, createSession } from './session.ts'
import { createSockets } from './sockets.ts'
import { pasteText, pressKey } from './type.ts'
import { traitsOf, type Traits } from './version.ts'
import { createWatch } from './watch.ts'
import { createWire } from './wire.ts'

const COMMAND_TIMEOUT = 10_000
const OPEN_TIMEOUT = 20_000
const CLOSE_GRACE = 2000
const OPEN_ATTEMPTS = 3
const SETTLE_LIMIT = 1000
const SETTLE_POLL = 10

export interface ZellijOptions {
  /** Name of a session of our own; short, for the path of its socket may have 108 bytes. */
  readonly session: string
  /** Folder for records of the panes and the session’s configuration; made where it is not there. */
  readonly stateDir: string
  /** Environment of the server and, with what `open` adds, of every pane. Scrubbed by the caller. */
  readonly environment: Readonly<Record<string, string>>
  readonly log: Log
  /** Program to run; the default is `zellij` on the environment's PATH. */
  readonly binary?: string
  /** Milliseconds a command may take; 10,000. */
  readonly commandTimeout?: number
  /** Milliseconds a program has between hang-up and SIGKILL; 2,000. */
  readonly closeGrace?: number
}

/** Where Zellij looks for sessions, as long as nobody says otherwise. */
const socketDirOf = (environment: Readonly<Record<string, string>>): string =>
  environment['ZELLIJ_SOCKET_DIR'] ??
  (environment['XDG_RUNTIME_DIR'] === undefined
    ? join(environment['TMPDIR'] ?? '/tmp', `zellij-${String(process.getuid?.() ?? 0)}`)
    : join(environment['XDG_RUNTIME_DIR'], 'zellij'))

/** Panes in a Zellij session of our own, a tab for each or several in one. Pane ids count from 0 for each session. */
export function createZellij(options: ZellijOptions): Multiplexer {
  const { session: name, stateDir, log, binary = 'zellij', commandTimeout = COMMAND_TIMEOUT, closeGrace = CLOSE_GRACE } = options
  const socketDir = socketDirOf(options.environment)
  const folder = join(stateDir, 'zellij')
  const sockets = createSockets({ common: socketDir, session: name })
  const commands = createCommands({
    binary,
    session: name,
    environment: { ...options.environment, TERM: 'xterm-256color', ZELLIJ_SOCKET_DIR: socketDir },
    sockets,
    timeout: commandTimeout,
  })
  const records = createRecords(join(folder, 'panes'))
  const queries = createQueries({ commands, records, folder })
  /** Many who ask at the same time share an answer, to a question that is put after they asked. */
  const listing = shared(queries.listing)
  const clients = shared(queries.clients)
  const names = createNames({ commands, records, listing })
  const session = createSession({ commands, sockets, folder })
  const keeper = createKeeper({
    commands,
    queries,
    wire: createWire({ socketDir, session: name, timeout: commandTimeout }),
    configFile: session.configFile,
    alone: session.alone,
    bars: BARS,
    traits: () => traits,
    timeout: commandTimeout,
    onAway: () => void look(),
    log,
  })
  let disposed = false
  let traits: Traits | undefined
  let starting: Promise<void> | undefined
  let lastOpen: Promise<unknown> = Promise.resolve()
  const lastTyping = new Map<PaneId, Promise<unknown>>()

  const find = async (paneId: PaneId): Promise<Listed | undefined> => (isPaneId(paneId) ? (await listing()).find((pane) => pane.paneId === paneId) : undefined)

  /** Panes that people look at, and when they last typed; the keeper is nobody. */
  const people = async (panes: readonly Listed[]): Promise<{ watched: ReadonlySet<string>; typedAt: number }> => {
    const others = panes.length === 0 ? [] : keeper.noticed(await clients())
    const now = Date.now()
    const watched = new Set(others)
    return { watched, typedAt: panes.some(({ paneId }) => watched.has(paneId)) ? await lastTyped(now, keeper.pid, now) : 0 }
  }
  const describe = async (panes: readonly Listed[]): Promise<Pane[]> => {
    const { watched, typedAt } = await people(panes)
    return Promise.all(panes.map((pane) => describePane(pane, watched.has(pane.paneId) ? typedAt : null)))
  }
  const list = async (): Promise<Pane[]> => describe(await listing())
  const deaths = createDeaths({ list, log })
  async function look(): Promise<void> {
    if (disposed) return
    await deaths.look()
    await names.tidy().catch((error: unknown) => log.debug({ err: error }, 'tabs of Zellij could not be named'))
  }
  const watch = createWatch({ commands, records, onChange: () => void look() })

  const startNow = async (): Promise<void> => {
    await session.ensure()
    await endLeftClients(session.configFile)
    await watch.begin()
    await deaths.look()
    await records.forget(new Set((await listing()).map(({ record }) => record.key)))
  }
  const startOnce = (): Promise<void> => (starting ??= startNow().finally(() => (starting = undefined)))

  /** The size of a new tab is that of the keeper, which can have one at a time. */
  const oneByOne = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const done = lastOpen.then(work)
    lastOpen = done.catch(() => undefined)
    return done
  }
  const open = async (pane: Parameters<Multiplexer['open']>[0]): Promise<{ paneId: PaneId; pid: number }> => {
    traits ??= traitsOf(await session.requireVersion())
    for (let attempt = 0; attempt < OPEN_ATTEMPTS; attempt += 1) {
      if (attempt > 0 || !watch.begun || !(await sockets.find())) await startOnce()
      const opened = await openPane(pane, { commands, records, list: listing, alone: oneByOne, keeper, traits, timeout: OPEN_TIMEOUT })
      if (opened === undefined) continue
      deaths.opened(opened.paneId, pane.agentId)
      return opened
    }
    throw new ExomonadError(
      'MULTIPLEXER_UNAVAILABLE',
      `Zellij’s session ended again and again while a pane for ${pane.name} was opened. Run \`exomonad doctor\`.`,
    )
  }

  /** One at a time for each pane, and only into one whose program lives. */
  const type = (paneId: PaneId, act: (pane: Listed) => Promise<TypeResult>): Promise<TypeResult> => {
    const typed = (lastTyping.get(paneId) ?? Promise.resolve()).then(async (): Promise<TypeResult> => {
      const pane = await find(paneId)
      if (pane === undefined) return { kind: 'gone' }
      return (await describePane(pane, null)).dead ? { kind: 'dead' } : act(pane)
    })
    const settled = typed.catch(() => undefined)
    lastTyping.set(paneId, settled)
    void settled.then(() => lastTyping.get(paneId) === settled && lastTyping.delete(paneId))
    return typed
  }
  const screen = async (paneId: PaneId, ...more: string[]): Promise<string[]> => {
    const rows = await queries.screen(paneId, ...more)
    if (rows === undefined) throw paneGone(paneId)
    return rows
  }
  /** Waits until it is noted how a program ended. */
  const settle = async ({ record: { key } }: Listed): Promise<void> => {
    for (const end = performance.now() + SETTLE_LIMIT; performance.now() < end; await delay(SETTLE_POLL)) {
      const record = await records.read(key)
      if (record === undefined || record.ended !== null) return
    }
  }
  const ending = ({ record: { pid, agentId, ended } }: Listed) => ({ pid: pid ?? 0, agentId, ended: ended !== null || pid === null })

  const lead = async (paneId: PaneId): Promise<void> => {
    const panes = await listing().catch(() => [])
    const tab = panes.find((pane) => pane.paneId === paneId)?.tabId
    if (tab !== undefined) await keeper.lead(paneId, panes.filter(({ tabId }) => tabId === tab).length > 1)
  }
  const closing = new Map<PaneId, Promise<void>>()
  const closeNow = async (paneId: PaneId): Promise<void> => {
    const pane = await find(paneId)
    if (pane === undefined) return
    await endPanes([ending(pane)], { grace: closeGrace })
    await settle(pane)
    await deaths.look()
    await commands.action('close-pane', '--pane-id', paneId)
    await records.remove(pane.record.key)
    await look()
  }

  return {
    name: 'zellij',
    start: async () => {
      traits = traitsOf(await session.requireVersion())
      await startOnce()
    },
    open: async (pane) => {
      await checkOpen(pane)
      return open(pane)
    },
    list,
    inspect: async (paneId) => {
      const pane = await find(paneId)
      return pane === undefined ? undefined : (await describe([pane]))[0]
    },
    paste: (paneId, text, key) =>
      type(paneId, async ({ record }) => {
        if (key !== undefined) await records.note(record.key, { pasting: key })
        const result = await pasteText(commands, paneId, text)
        if (key !== undefined) await records.note(record.key, { pasting: null, ...(result.kind === 'typed' && { pasted: addToTrace(record.pasted, key) }) })
        return result
      }),
    pressEnter: (paneId, key) =>
      type(paneId, async ({ record }) => {
        if (key !== undefined) await records.note(record.key, { entering: key })
        const result = await pressKey(commands, paneId, 'Enter')
        if (key !== undefined) await records.note(record.key, { entering: null, ...(result.kind === 'typed' && { entered: addToTrace(record.entered, key) }) })
        return result
      }),
    pressEscape: (paneId) => type(paneId, () => pressKey(commands, paneId, 'Escape')),
    capture: async (paneId, { lines = 0 } = {}) => {
      if ((await find(paneId)) === undefined) throw paneGone(paneId)
      const seen = await screen(paneId)
      const shown = lines === 0 ? seen : (await screen(paneId, '--full')).slice(-(seen.length + lines))
      return shown
        .map((line) => line.trimEnd())
        .join('\n')
        .trimEnd()
    },
    captureStyled: async (paneId) => {
      const pane = await find(paneId)
      if (pane === undefined) throw paneGone(paneId)
      const rows = await screen(paneId, '--ansi')
      return [...rows, ...Array.from({ length: Math.max(0, pane.rows - rows.length) }, () => '')].join('\n')
    },
    rename: async (paneId, given) => {
      if (!isPaneId(paneId) || !(await names.rename(paneId, given))) throw paneGone(paneId)
    },
    close: async (paneId) => {
      const closed = closing.get(paneId) ?? closeNow(paneId).finally(() => closing.delete(paneId))
      closing.set(paneId, closed)
      await closed
    },
    endLeftBehind: (agentId) => endPanes([{ pid: 0, agentId, ended: true }], { grace: closeGrace }),
    onDeath: deaths.onDeath,
    attachCommand: (paneId) => {
      const ready = join(folder, `ready-${randomUUID()}`)
      void lead(paneId).finally(() => writeFile(ready, '').catch(() => undefined))
      return attachCommand({ binary, session: name, socketDir, paneId, ready })
    },
    shutdown: async () => {
      const panes = await listing()
      await endPanes(panes.map(ending), { grace: closeGrace })
      await Promise.all(panes.map(settle))
      await deaths.look()
      watch.stop()
      keeper.stop()
      await session.stop()
      await deaths.look()
    },
    dispose: async () => {
      disposed = true
      watch.stop()
      keeper.stop()
    },
  }
}
