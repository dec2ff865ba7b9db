import { setTimeout as delay } from 'node:timers/promises'
import { ExomonadError } from '../../../errors.ts'
import type { PaneId } from '../../../ids.ts'
import type { Log } from '../../../log.ts'
import { startClient, type Client } from './client.ts'
import type { Commands } from './commands.ts'
import { HOME_PANE, homeSize } from './panes.ts'
import type { Looking } from './people.ts'
import type { Queries } from './queries.ts'
import type { Traits } from './version.ts'
import type { Wire } from './wire.ts'

/**
 * A client of ours that nobody sees, in front of the session’s first tab. Zellij gives a new tab the size of the client with the lowest number, mostly
 * this one, and a tab that is made while there is none has no room for any pane (0.45.1). And a new client begins where that one is: it goes ahead
 * of people to the pane they ask for. It ends with this process; the panes don’t need it.
 */
export interface Keeper {
  /** Its process id, while it runs. */
  readonly pid: number | undefined
  /** Attaches where that has not happened (or `anew`), and has that size from then on. */
  fit(columns: number, rows: number, anew?: boolean): Promise<void>
  /** Looks at a tab until `isDone`: alone there, it gives it its size. Not for long. */
  visit(paneId: PaneId, isDone: () => Promise<boolean>): Promise<void>
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
/** Looks for the number of a new client until it is started again: a person may have come at the same moment. */
const LOOKS_FOR_NUMBER = 50
/** Looks at a tab until it has its size, and after how many it is gone to again. */
const VISIT_LOOKS = 100
const FOCUS_AGAIN = 10
/** How long a person may take from asking for a pane to being there, and between looks. Milliseconds. */
const FOLLOW_WITHIN = 5000
const ARRIVE_WITHIN = 2000
/** Zellij may lose whom it has just let in (attach.ts): it stays for those who come again, unless others wait for it. Milliseconds. */
const STAYS_FOR = 1000
const LOOK_AGAIN = 500
/** Where nothing was opened yet. */
const FIRST_SIZE = { columns: 200, rows: 50 }
/** Commands that may be under way at once, each of which has a number among the clients’. */
const SPARE_NUMBERS = 24

export const homePane = `terminal_${String(HOME_PANE)}`

export function createKeeper(options: {
  readonly commands: Commands
  readonly queries: Queries
  readonly wire: Wire
  readonly configFile: string
  /** While no other process of ours attaches: with another that comes at the same moment its number can’t be told apart. */
  readonly alone: (work: () => Promise<void>) => Promise<void>
  /** Rows that each tab has beside its panes. */
  readonly bars: number
  /** Of this Zellij; undefined before it was looked at. */
  readonly traits: () => Traits | undefined
  /** Milliseconds. */
  readonly timeout: number
  /** It is not where it should be: `noticed` is to be called. */
  readonly onAway: () => void
  readonly log: Log
}): Keeper {
  const { commands, queries, wire, configFile, alone, bars, traits, timeout, onAway, log } = options
  const { clients } = queries
  let client: Client | undefined
  /** Zellij’s, as long as the client runs. */
  let number: number | undefined
  let beginning: Promise<void> | undefined
  let size = FIRST_SIZE
  let leads = false
  let leading: Promise<void> = Promise.resolve()
  let visiting = false
  /** Where it has gone ahead to, whether it has got there, how many were there already, how many are to follow, and since when. */
  let leadsTo: PaneId | undefined
  let isThere = false
  let already = 0
  let expected = 0
  /** Numbers of those who were there before, or have followed. */
  let settled = new Set<number>()
  let awaySince = 0
  /** When all whom it goes ahead of were first seen there. */
  let followedAt: number | undefined
  let stopped = false

  const current = (): { client: Client; number: number } | undefined =>
    client === undefined || client.ended || number === undefined ? undefined : { client, number }
  const until = async (what: string, condition: () => Promise<boolean>): Promise<void> => {
    for (const end = performance.now() + timeout; performance.now() < end && !stopped; await delay(POLL)) if (await condition()) return
    throw new ExomonadError('MULTIPLEXER_UNAVAILABLE', `Zellij did not ${what} within ${String(timeout)} ms. Run \`exomonad doctor\`.`, {
      session: commands.session,
    })
  }
  const whole = () => {
    const frame = traits()?.frame ?? 0
    return { columns: size.columns + frame, rows: size.rows + bars + frame }
  }
  const leave = (): void => {
    client?.stop()
    client = undefined
    number = undefined
  }
  const begin = async (): Promise<void> => {
    let before = new Set<number>()
    let looks = LOOKS_FOR_NUMBER
    leads = false
    leadsTo = undefined
    leave()
    await until('take a client', async () => {
      // Of a busy server a client may think that it is not there, and leave.
      if (looks >= LOOKS_FOR_NUMBER || client?.ended !== false) {
        leave()
        before = new Set((await clients()).map((one) => one.client))
        client = startClient({ commands, configFile, ...whole() })
        looks = 0
      }
      looks += 1
      const now = (await clients()).map((one) => one.client)
      const fresh = now.filter((one) => !before.has(one))
      before = new Set([...before].filter((one) => now.includes(one)))
      if (fresh.length === 1) number = fresh[0]
      return number !== undefined
    })
  }
  const stay = async (): Promise<void> => {
    if (current() === undefined) await (beginning ??= alone(begin).finally(() => (beginning = undefined)))
  }
  const goHome = (keeper: Client): void => {
    leadsTo = undefined
    leads = true
    keeper.goHome()
  }

  /**
   * A new client has the number of one that left, or of a command that has come to its end, and with it, in each tab, the pane that the last with that
   * number was at. So all numbers that it may get are taken to the right one.
   */
  const prepare = async (paneId: PaneId): Promise<void> => {
    const taken = (await clients()).map((one) => one.client)
    const numbers = Array.from({ length: Math.max(0, ...taken) + SPARE_NUMBERS }, (_, index) => index + 1)
    await wire.focus(
      numbers.filter((one) => !taken.includes(one)),
      paneId,
    )
  }
  const leadNow = async (paneId: PaneId, shared: boolean): Promise<void> => {
    // Whoever asked before is on the way to where it leads them.
    const isTaken = () => leadsTo !== undefined && leadsTo !== paneId && followedAt === undefined
    for (const end = performance.now() + FOLLOW_WITHIN; isTaken() && performance.now() < end && !stopped; await delay(POLL));
    if (stopped) return
    await stay()
    if (shared) await prepare(paneId)
    if (leadsTo === paneId && isThere) {
      // It stays for this one, too: on a way home and back others would be taken along.
      const haveFollowed = followedAt !== undefined
      expected += 1
      followedAt = undefined
      awaySince = performance.now()
      if (haveFollowed) {
        // They may have left since.
        already = (await clients()).filter((one) => one.paneId === paneId && one.client !== number).length
        expected = 1
      }
      return
    }
    const before = await clients()
    settled = new Set(before.map((one) => one.client))
    followedAt = undefined
    already = before.filter((one) => one.paneId === paneId).length
    expected = 1
    leads = true
    leadsTo = paneId
    isThere = false
    awaySince = performance.now()
    await until('show a pane', async () => {
      await stay()
      const keeper = current()
      if (keeper === undefined) return false
      leadsTo = paneId
      await wire.focus([keeper.number], paneId)
      return (await clients()).some((one) => one.client === keeper.number && one.paneId === paneId)
    })
    isThere = true
    awaySince = performance.now()
  }
  const visitNow = async (paneId: PaneId, isDone: () => Promise<boolean>): Promise<void> => {
    const keeper = current()
    if (keeper === undefined) return
    visiting = true
    try {
      for (let look = 0; look < VISIT_LOOKS && !stopped; look += 1) {
        // What it was told before may take it away again: on its way home.
        if (look % FOCUS_AGAIN === 0) await wire.focus([keeper.number], paneId)
        if (await isDone()) return
        await delay(POLL)
      }
    } finally {
      visiting = false
      if (leadsTo === undefined) goHome(keeper.client)
      else await wire.focus([keeper.number], leadsTo)
    }
  }
  /** One after the other. */
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const done = leading.then(work)
    leading = done.catch(() => undefined)
    return done
  }

  /** A new client begins where the one with the lowest number is: that may be a person, where a command had it when the keeper came. */
  const bring = (others: readonly Looking[], paneId: PaneId): void => {
    // Numbers of those who have left are had by others.
    settled = new Set(others.flatMap((one) => (settled.has(one.client) || one.paneId === paneId ? [one.client] : [])))
    const astray = others.flatMap((one) => (settled.has(one.client) ? [] : [one.client]))
    if (astray.length > 0) void wire.focus(astray, paneId)
  }

  return {
    get pid() {
      return current()?.client.pid
    },
    fit: async (columns, rows, anew = false) => {
      stopped = false
      if (anew) leave()
      const same = size.columns === columns && size.rows === rows
      if (same && current() !== undefined) return
      size = { columns, rows }
      current()?.client.resize(whole().columns, whole().rows)
      await until(`give a tab ${String(columns)}×${String(rows)}`, async () => {
        await stay()
        const looking = await clients()
        const place = looking.find((one) => one.client === number)?.paneId
        if (place === undefined) return false
        // Where others have a say it has the size of the smallest, and tells nothing.
        const others = looking.filter((one) => one.client !== number && (one.paneId === homePane || traits()?.ownSizes === false))
        if (place !== homePane || others.length > 0) return true
        const entries = await queries.entries()
        const home = entries && homeSize(entries)
        // Of a session whose first pane was closed there is nothing to tell it by.
        return entries !== undefined && (home === undefined || (home.columns === columns && home.rows === rows))
      })
    },
    visit: (paneId, isDone) => inTurn(() => visitNow(paneId, isDone)),
    lead: (paneId, shared) =>
      inTurn(() => leadNow(paneId, shared))
        .catch((error: unknown) => {
          if (!stopped) log.warn({ err: error }, 'Zellij could not be taken to a pane')
        })
        .finally(onAway),
    noticed: (looking) => {
      const keeper = current()
      if (keeper === undefined) return looking.map(({ paneId }) => paneId)
      const own = looking.find((one) => one.client === keeper.number)
      const others = looking.filter((one) => one !== own)
      const seen = others.map(({ paneId }) => paneId)
      if (leadsTo !== undefined) bring(others, leadsTo)
      if (visiting) return seen
      if (leadsTo === undefined && own?.paneId === homePane) {
        if (others.length > 0) leads = false
        else if (!leads) goHome(keeper.client)
        return seen
      }
      if (seen.filter((paneId) => paneId === leadsTo).length >= already + expected) followedAt ??= performance.now()
      const followed = followedAt !== undefined && performance.now() - followedAt > STAYS_FOR
      const away = performance.now() - awaySince
      // It may be on its way still, or have been when this was seen.
      const lost = own?.paneId !== leadsTo && (leadsTo === undefined || away > ARRIVE_WITHIN)
      if (lost || followed || away > FOLLOW_WITHIN) goHome(keeper.client)
      setTimeout(onAway, LOOK_AGAIN).unref()
      return seen
    },
    stop: () => {
      stopped = true
      leave()
    },
  }
}
