import { stat } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { ExomonadError } from '../../../errors.ts'
import type { PaneId } from '../../../ids.ts'
import type { Log } from '../../../log.ts'
import { startClient, type Client } from './client.ts'
import type { Commands } from './commands.ts'
import { HOME_PANE, homeSize } from './panes.ts'
import type { Looking } from './people.ts'
import type { Queries } from './queries.ts'
import type { Wire } from './wire.ts'

/**
 * A client of ours that nobody sees, in front of the session’s first tab. Zellij gives a new tab the size of a client, and a tab that is made
 * while there is none has no room for any pane (0.45.1). And a new client begins where the first one is: it goes ahead of people to the pane
 * they ask for. It ends with this process; the panes don’t need it.
 */
export interface Keeper {
  /** Its process id, while it runs. */
  readonly pid: number | undefined
  /** Attaches where that has not happened (or `anew`), and makes tabs that are opened from now on have room for a pane of that size. */
  fit(columns: number, rows: number, anew?: boolean): Promise<void>
  /** Goes ahead to a pane. `shared`: there are others in its tab. Never throws. */
  lead(paneId: PaneId, shared: boolean): Promise<void>
  /**
   * Given who looks at which pane, answers the panes that others than the keeper do, each as often as it is looked at. Whoever came to another pane
   * than it goes ahead to is taken there. It goes home once all whom it goes ahead of have followed it, or nobody did for a while.
   */
  noticed(looking: readonly Looking[]): readonly string[]
  stop(): void
}

const POLL = 20
/** Looks after which a key is pressed again. */
const TYPE_AGAIN = 50
/** How long a person may take from asking for a pane to being there, and between looks. Milliseconds. */
const FOLLOW_WITHIN = 5000
const ARRIVE_WITHIN = 2000
const LOOK_AGAIN = 500
/** Commands that may be under way at once, each of which has a number among the clients’. */
const SPARE_NUMBERS = 24

export const homePane = `terminal_${String(HOME_PANE)}`

export function createKeeper(options: {
  readonly commands: Commands
  readonly queries: Queries
  readonly wire: Wire
  readonly configFile: string
  /** File that grows whenever a client has gone home (session.ts). */
  readonly homeKeys: string
  /** Rows that each tab has beside its panes. */
  readonly bars: number
  /** Milliseconds. */
  readonly timeout: number
  /** It is not where it should be: `noticed` is to be called. */
  readonly onAway: () => void
  readonly log: Log
}): Keeper {
  const { commands, queries, wire, configFile, homeKeys, bars, timeout, onAway, log } = options
  let client: Client | undefined
  let size = { columns: 0, rows: 0 }
  let leads = false
  let leading: Promise<void> = Promise.resolve()
  /** Where it has gone ahead to, whether it has got there, how many were there already, how many are to follow, and since when. */
  let leadsTo: PaneId | undefined
  let isThere = false
  let already = 0
  let expected = 0
  /** Numbers of those who were there before, or have followed. */
  let settled = new Set<number>()
  let awaySince = 0
  let stopped = false

  const current = (): Client | undefined => (client?.ended === false ? client : undefined)
  const start = (): Client => startClient({ commands, configFile, columns: size.columns, rows: size.rows + bars })
  const goHome = (keeper: Client): void => {
    leadsTo = undefined
    leads = true
    keeper.goHome()
  }
  /** Of a busy server a client may think that it is not there, and leave. */
  const stay = (): void => {
    if (current() === undefined) client = start()
  }
  const { clients } = queries
  const until = async (what: string, condition: () => Promise<boolean>): Promise<void> => {
    for (const end = performance.now() + timeout; performance.now() < end && !stopped; await delay(POLL)) if (await condition()) return
    throw new ExomonadError('MULTIPLEXER_UNAVAILABLE', `Zellij did not ${what} within ${String(timeout)} ms. Run \`exomonad doctor\`.`, {
      session: commands.session,
    })
  }
  const panes = async (): Promise<string[]> => (await clients()).map(({ paneId }) => paneId)
  /**
   * Takes it to a pane, by its number: it is the one that is home once it went there. Where people are there too it is the one that acted last, for
   * which Zellij does what is to be done for no client in particular. What is typed into a client that is only just beginning may get lost.
   */
  const goTo = async (keeper: Client, paneId: PaneId): Promise<void> => {
    const pressed = async () => (await stat(homeKeys).catch(() => undefined))?.size ?? 0
    const before = await pressed()
    let tries = 0
    await until('take a key', async () => {
      if (tries % TYPE_AGAIN === 0) keeper.goHome()
      tries += 1
      return (await pressed()) > before
    })
    await until('show a pane', async () => {
      const [first, ...others] = (await clients()).filter((one) => one.paneId === homePane)
      if (first !== undefined && others.length === 0) await wire.focus([first.client], paneId)
      else await commands.action('focus-pane-id', paneId)
      return (await panes()).includes(paneId)
    })
  }

  /**
   * A new client has the number of one that left, or of a command that has come to its end, and with it, in each tab, the pane that the last with that
   * number was at. So all numbers that it may get are taken to the right one.
   */
  const prepare = async (paneId: PaneId): Promise<void> => {
    const taken = (await clients()).map(({ client: number }) => number)
    const numbers = Array.from({ length: Math.max(0, ...taken) + SPARE_NUMBERS }, (_, index) => index + 1)
    await wire.focus(
      numbers.filter((number) => !taken.includes(number)),
      paneId,
    )
  }
  const leadNow = async (paneId: PaneId, shared: boolean): Promise<void> => {
    // Whoever asked before is on the way to where it leads them.
    for (const end = performance.now() + FOLLOW_WITHIN; leadsTo !== undefined && leadsTo !== paneId && performance.now() < end && !stopped; await delay(POLL));
    if (shared && current() !== undefined) await prepare(paneId)
    const keeper = current()
    if (keeper === undefined) return
    if (leadsTo === paneId && isThere) {
      // It stays for this one, too: on a way home and back others would be taken along.
      expected += 1
      awaySince = performance.now()
      return
    }
    const before = await clients()
    settled = new Set(before.map(({ client: number }) => number))
    already = before.filter((one) => one.paneId === paneId).length
    expected = 1
    leads = true
    leadsTo = paneId
    isThere = false
    awaySince = performance.now()
    await goTo(keeper, paneId)
    isThere = true
    awaySince = performance.now()
  }

  /** A new client begins where the one with the lowest number is: that may be a person, where a command had it when the keeper came. */
  const bring = (looking: readonly Looking[], paneId: PaneId): void => {
    for (const one of looking) if (one.paneId === paneId) settled.add(one.client)
    const astray = looking.flatMap(({ client: number }) => (settled.has(number) ? [] : [number]))
    if (astray.length > 0) void wire.focus(astray, paneId)
  }

  return {
    get pid() {
      return current()?.pid
    },
    fit: async (columns, rows, anew = false) => {
      stopped = false
      if (anew) {
        client?.stop()
        client = undefined
      }
      const same = size.columns === columns && size.rows === rows
      const running = current()
      if (running !== undefined && same) return
      size = { columns, rows }
      if (running === undefined) {
        leads = false
        leadsTo = undefined
        await until('take a client', async () => {
          stay()
          return (await clients()).length > 0
        })
      } else running.resize(columns, rows + bars)
      await until(`give a tab ${String(columns)}×${String(rows)}`, async () => {
        stay()
        const entries = await queries.entries()
        const home = entries && homeSize(entries)
        // Of a session whose first pane was closed there is nothing to tell it by.
        return entries !== undefined && (home === undefined || (home.columns === columns && home.rows === rows))
      })
    },
    lead: (paneId, shared) => {
      leading = leading
        .then(() => leadNow(paneId, shared))
        .catch((error: unknown) => {
          if (!stopped) log.warn({ err: error }, 'Zellij could not be taken to a pane')
        })
        .finally(onAway)
      return leading
    },
    noticed: (looking) => {
      const seen = looking.map(({ paneId }) => paneId)
      const keeper = current()
      if (keeper === undefined) return seen
      if (leadsTo !== undefined) bring(looking, leadsTo)
      const at = seen.indexOf(leadsTo ?? homePane)
      const others = at < 0 ? seen : seen.toSpliced(at, 1)
      if (leadsTo === undefined && at >= 0) {
        if (others.length > 0) leads = false
        else if (!leads) goHome(keeper)
        return others
      }
      const followed = others.filter((paneId) => paneId === leadsTo).length >= already + expected
      const away = performance.now() - awaySince
      // It may be on its way still, or have been when this was seen.
      const lost = at < 0 && (leadsTo === undefined || away > ARRIVE_WITHIN)
      if (lost || followed || away > FOLLOW_WITHIN) goHome(keeper)
      setTimeout(onAway, LOOK_AGAIN).unref()
      return at < 0 && seen.length === 1 ? [] : others
    },
    stop: () => {
      stopped = true
      client?.stop()
      client = undefined
    },
  }
}
