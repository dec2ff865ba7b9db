import { existsSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import { asExomonadError, ExomonadError } from '../../../domain/errors.ts'
import type { PaneId } from '../../../domain/ids.ts'
import { exec as execDirectly, type Exec } from '../../../processes/exec.ts'
import type { Log } from '../../../runtime/log.ts'
import type { Shown, Viewer } from '../viewer.ts'
import { attachCommand } from './attach.ts'
import { closeDoubles } from './doubles.ts'
import type { Entry } from './panes.ts'
import { createSession } from './session.ts'
import { createTabs, notShownError, shownBy } from './tabs.ts'

export interface ZellijOptions {
  /** Name of a session of our own; short, for the path of its socket may have 108 bytes. */
  readonly session: string
  /** The one that versions of before had agents in, which ends with the other. */
  readonly former: string
  /** Folder for the session’s configuration; made where it is not there. */
  readonly stateDir: string
  /** Environment of the session. Scrubbed by the caller. */
  readonly environment: Readonly<Record<string, string>>
  readonly log: Log
  /** Runs it; the default starts it from this process itself. */
  readonly exec?: Exec
  /** Program to run; the default is `zellij` on the environment's PATH. */
  readonly binary?: string
}

/** Tabs that are made by one command, where many are waited for. */
const AT_ONCE = 25
/** How often one is opened that Zellij says it shows, and does not. */
const ATTEMPTS = 3
/**
 * For so long one is tried that Zellij does not take: a busy machine has it answer late, or not at
 * all. Milliseconds.
 */
const TAKEN_WITHIN = 60_000
/** After what was not taken. Milliseconds. */
const PAUSE = 500
/**
 * When it is looked whether it shows one twice: the first time once nothing waits to be opened,
 * which holds up all else; later between other work. Milliseconds.
 */
const LATE = [3000, 10_000, 30_000] as const
const LOOKS = 40
const POLL = 50
/** Milliseconds. */
const SHOWN_WITHIN = 5000

/**
 * How long nothing is asked of it while a person is on the way: each command leaves twice, the
 * second time with the number of whoever came meanwhile.
 */
const QUIET = 1500

/** How long what it is being asked may take when all ends. Milliseconds. */
const LEAVE_WITHIN = 5000

/** Where Zellij looks for sessions, as long as nobody says otherwise. */
const socketDirOf = (environment: Readonly<Record<string, string>>): string =>
  environment['ZELLIJ_SOCKET_DIR'] ??
  (environment['XDG_RUNTIME_DIR'] === undefined
    ? join(environment['TMPDIR'] ?? '/tmp', `zellij-${String(process.getuid?.() ?? 0)}`)
    : join(environment['XDG_RUNTIME_DIR'], 'zellij'))

/**
 * Views in a Zellij session of our own, a tab for each or several in one. One thing at a time is
 * asked of it, and nothing without need.
 */
export function createZellijViewer({
  session: name,
  former,
  stateDir,
  environment,
  log,
  exec = execDirectly,
  binary = 'zellij',
}: ZellijOptions): Viewer {
  const folder = join(stateDir, 'zellij')
  const socketDir = socketDirOf(environment)
  const disposal = new AbortController()
  const { signal: disposed } = disposal
  const session = createSession({
    binary,
    name,
    folder,
    exec,
    environment: { ...environment, ZELLIJ_SOCKET_DIR: socketDir },
    disposed,
  })
  const wanted = new Map<PaneId, { shown: Shown; attempts: number; readonly since: number }>()
  const names = new Map<PaneId, string>()
  let last: Promise<unknown> = Promise.resolve()
  /** Zellij may yet show one twice. */
  let late = false
  const tabs = createTabs(session, () => {
    late = true
  })

  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const done = last.then(work)
    last = done.catch(() => undefined)
    return done
  }
  const giveUp = (paneIds: Iterable<PaneId>, error: unknown): void => {
    for (const paneId of paneIds) {
      const one = wanted.get(paneId)
      if (one === undefined) continue
      wanted.delete(paneId)
      log.warn(
        { err: error, paneId, name: one.shown.name },
        'Zellij does not show an agent, which goes on: `exomonad attach` shows it',
      )
    }
  }
  const notShown = (paneIds: readonly PaneId[]): void => {
    const lost = paneIds.filter((paneId) => {
      const one = wanted.get(paneId)
      return one !== undefined && (one.attempts += 1) >= ATTEMPTS
    })
    giveUp(lost, notShownError(name, 'it did not appear'))
  }
  /** It may be done yet: what is shown by then is not opened again. */
  const notTaken = async (paneIds: readonly PaneId[], error: unknown): Promise<void> => {
    const lasts = error instanceof ExomonadError && error.facts['lasts'] === true
    giveUp(
      lasts
        ? paneIds
        : paneIds.filter(
            (paneId) => performance.now() - (wanted.get(paneId)?.since ?? 0) > TAKEN_WITHIN,
          ),
      error,
    )
    if (!lasts) await delay(PAUSE, undefined, { signal: disposed }).catch(() => undefined)
  }
  const settleLate = async (): Promise<void> => {
    late = false
    const [first, ...others] = LATE
    await delay(first, undefined, { signal: disposed }).catch(() => undefined)
    await closeDoubles(session, log, disposed)
    for (const after of others)
      void delay(after, undefined, { signal: disposed, ref: false }).then(
        () => inTurn(() => closeDoubles(session, log, disposed)),
        () => undefined,
      )
  }
  /**
   * The next ones to be opened: as many as have tabs of their own, or one that has a place beside
   * another.
   */
  const nextOnes = (
    entries: readonly Entry[],
  ): { alone: Shown[]; beside?: { shown: Shown; tabId: number } } => {
    const alone: Shown[] = []
    for (const { shown } of wanted.values()) {
      const tab = shown.beside === undefined ? undefined : shownBy(entries, shown.beside)?.tabId
      if (tab !== undefined && entries.some(({ tabId, hasRoom }) => tabId === tab && hasRoom)) {
        if (alone.length > 0) break
        return { alone, beside: { shown, tabId: tab } }
      }
      // Where that one is only being opened itself, this one waits for it.
      if (alone.length === AT_ONCE || alone.some(({ paneId }) => paneId === shown.beside)) break
      alone.push(shown)
    }
    return { alone }
  }
  /** It is shown, called so; it may have got another name while that was on its way. */
  const isThere = (paneId: PaneId, called?: string): void => {
    const one = wanted.get(paneId)
    if (one !== undefined && one.shown.name !== called) names.set(paneId, one.shown.name)
    wanted.delete(paneId)
  }
  const openSome = async (): Promise<void> => {
    const [first] = wanted.values()
    if (first === undefined) return
    let tried: PaneId[] = [...wanted.keys()]
    try {
      const entries = tabs.learn(await session.ensure(first.shown))
      for (const { shows } of entries) if (shows !== null) isThere(shows)
      const { alone, beside } = nextOnes(entries)
      const opening = beside === undefined ? alone : [beside.shown]
      tried = opening.map(({ paneId }) => paneId)
      if (beside !== undefined) await tabs.openBeside(beside.shown, beside.tabId)
      else if (alone.length > 0) await tabs.open(alone, entries)
      // A tab may be said to have been made that has no room for its pane.
      const isShown = async () => {
        const now = tabs.learn((await session.list()) ?? [])
        return tried.every((paneId) => shownBy(now, paneId) !== undefined)
      }
      for (
        const end = performance.now() + SHOWN_WITHIN;
        !(await isShown()) && performance.now() < end;
        await delay(POLL)
      );
      for (const { paneId, name: called } of opening) if (tabs.has(paneId)) isThere(paneId, called)
      notShown(tried)
    } catch (error) {
      await notTaken(tried, error)
    }
  }
  const nameOne = async (): Promise<void> => {
    const [first] = names
    if (first === undefined) return
    const [paneId, called] = first
    names.delete(paneId)
    await tabs.rename(paneId, called)
  }
  const work = async (): Promise<void> => {
    while (!disposed.aborted && (wanted.size > 0 || late || names.size > 0)) {
      if (wanted.size > 0) await openSome()
      else if (late) await settleLate()
      else
        await nameOne().catch((error: unknown) =>
          log.debug({ err: error }, 'a tab of Zellij could not be named'),
        )
    }
  }
  const soon = (): void => void inTurn(work)

  const find = async (shown: Shown): Promise<{ pane: string; shared: boolean }> => {
    let entries = tabs.learn(await session.ensure(shown))
    if (shownBy(entries, shown.paneId) === undefined) await tabs.open([shown], entries)
    for (let look = 0; look < LOOKS; look += 1) {
      const found = shownBy(entries, shown.paneId)
      if (found !== undefined)
        return {
          pane: found.id,
          shared: entries.filter(({ tabId }) => tabId === found.tabId).length > 1,
        }
      await delay(POLL)
      entries = tabs.learn((await session.list()) ?? [])
    }
    throw new ExomonadError(
      'MULTIPLEXER_UNAVAILABLE',
      `Zellij does not show ${shown.name}, though it was asked to.`,
      { session: name },
    )
  }

  return {
    name: 'zellij',
    open: (shown) => {
      wanted.set(shown.paneId, { shown, attempts: 0, since: performance.now() })
      soon()
    },
    rename: (paneId, called) => {
      const waits = wanted.get(paneId)
      if (waits !== undefined) waits.shown = { ...waits.shown, name: called }
      else if (tabs.takesName(paneId)) {
        names.set(paneId, called)
        soon()
      }
    },
    closed: (paneId) => {
      wanted.delete(paneId)
      names.delete(paneId)
      tabs.closed(paneId)
    },
    attachCommand: (shown, inside) =>
      inTurn(async () => {
        const { pane, shared } = await find(shown)
        if (inside === undefined) await session.lead(pane, shared)
        return attachCommand({ binary, session: name, socketDir, pane, inside })
      }).finally(() => {
        if (inside !== name)
          void inTurn(() => delay(QUIET, undefined, { signal: disposed }).catch(() => undefined))
        soon()
      }),
    shutdown: async () => {
      disposal.abort()
      await Promise.race([last, delay(LEAVE_WITHIN)])
      await (async () => {
        if (existsSync(join(folder, 'panes'))) await session.kill(former)
        if (existsSync(folder)) await session.stop()
      })().catch((error: unknown) =>
        log.debug({ err: asExomonadError(error) }, 'Zellij’s session could not be ended'),
      )
    },
    dispose: async () => {
      disposal.abort()
      session.dispose()
      await Promise.race([last, delay(LEAVE_WITHIN, undefined, { ref: false })])
      // What was under way may have begun with another client.
      session.dispose()
    },
    settled: async () => {
      await inTurn(() => Promise.resolve())
    },
  }
}
