import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { ExomonadError } from '../../../domain/errors.ts'
import { endProcesses } from '../../../processes/end-processes.ts'
import type { Exec } from '../../../processes/exec.ts'
import { findByArguments } from '../../../processes/processes.ts'
import { startClient, type Client } from './client.ts'
import { filesOf } from './layout.ts'
import { parseEntries, type Entry } from './panes.ts'
import { replyOf, type Reply } from './reply.ts'
import { isEnough, leavesFocus, parseZellijVersion, ZELLIJ_NEEDED } from './version.ts'

/**
 * Our session, by commands of the `zellij` program, a process each (20 to 40 ms): one at a time.
 */
export interface Session {
  readonly binary: string
  readonly name: string
  /**
   * Starts it in the background where it does not run, with a client of ours in it.
   * MULTIPLEXER_UNAVAILABLE.
   */
  ensure(size: { columns: number; rows: number }): Promise<Entry[]>
  /** Its panes; undefined where it does not run, or does not answer. */
  list(): Promise<Entry[] | undefined>
  action(...args: readonly string[]): Promise<Reply>
  /** For what is opened: nobody’s view moves along, as far as this Zellij knows how. */
  readonly noFocus: readonly string[]
  /**
   * For a person who is about to come from outside: a new client begins in the tab where the first
   * one is, which is ours, and, in a tab that has several panes (`shared`), in the one that the
   * last client with its number was in.
   */
  lead(pane: string, shared: boolean): Promise<void>
  stop(): Promise<void>
  /** Ends a session of ours, where there is one. */
  kill(session: string): Promise<void>
  dispose(): void
}

const LIMIT = 10_000
/** Clients that are tried for their number. */
const SCOUTS = 5
const START_WITHIN = 10_000
/** Each look is a process of 30 ms: less and less often. Milliseconds. */
const POLL = 30
const LONGEST_POLL = 200
const GRACE = 2000
/**
 * Zellij takes away each client that leaves twice (0.45.1), commands too: the second time whoever
 * has its number by then. Milliseconds.
 */
const LET_GO = 300
const LOOKS = 5
/** How long a person may take from asking to being there. Milliseconds. */
const FOLLOW_WITHIN = 10_000
/** Rows of the bar. */
const BAR = 1

export function createSession(options: {
  readonly binary: string
  readonly name: string
  /** Folder for its configuration. */
  readonly folder: string
  readonly environment: Readonly<Record<string, string>>
  readonly exec: Exec
  /** Nothing but its end is asked of it from then on, and what is under way is given up. */
  readonly disposed: AbortSignal
}): Session {
  const { binary, name, folder, exec, disposed } = options
  const env = { ...options.environment, TERM: 'xterm-256color' }
  const config = join(folder, 'config.kdl')
  let client: Client | undefined
  let size = { columns: 200, rows: 50 }
  let version: string | undefined
  let homeward: NodeJS.Timeout | undefined

  const mayGoOn = (): void => {
    if (disposed.aborted) throw unavailable('it is being left')
  }
  const run = async (...args: readonly string[]): Promise<Reply> => {
    mayGoOn()
    return runAnyway(args, { signal: disposed })
  }
  const runAnyway = async (args: readonly string[], more = {}): Promise<Reply> => {
    const given = { env, timeout: LIMIT, ...more }
    const ran = await exec(binary, args, given)
    const { exitCode, startError, timedOut } = ran
    if (startError !== null)
      throw unavailable(
        `it can’t be started (${startError}). Install Zellij ${ZELLIJ_NEEDED} or newer, or set [multiplexer] kind to "auto"`,
        true,
      )
    if (exitCode !== 0 && timedOut)
      throw unavailable(`it does not answer within ${String(LIMIT)} ms`)
    return replyOf(ran)
  }
  const action: Session['action'] = (...args) => run('--session', name, 'action', ...args)
  const requireVersion = async (): Promise<void> => {
    if (version !== undefined) return
    const reply = await run('--version')
    const found = reply.kind === 'done' ? parseZellijVersion(reply.stdout) : undefined
    if (found === undefined || !isEnough(found))
      throw unavailable(
        `${found ?? 'this one'} is too old: ${ZELLIJ_NEEDED} or newer is needed`,
        true,
      )
    version = found
  }
  /** `lost`: it may be there, and does not answer. */
  const look = async (): Promise<Entry[] | 'no-session' | 'lost'> => {
    for (let attempt = 0; attempt < LOOKS; attempt += 1) {
      const reply = await action('list-panes', '--json')
      if (reply.kind === 'no-session') return reply.kind
      const entries = reply.kind === 'done' ? parseEntries(reply.stdout) : undefined
      if (entries !== undefined) return entries
      await delay(POLL)
    }
    return 'lost'
  }
  const list: Session['list'] = async () => {
    const seen = await look()
    return typeof seen === 'string' ? undefined : seen
  }
  const create = async (): Promise<void> => {
    mayGoOn()
    await mkdir(folder, { recursive: true, mode: 0o700 })
    for (const [file, text] of Object.entries(filesOf(folder)))
      await writeFile(join(folder, file), text)
    const reply = await run('--config', config, 'attach', '--create-background', name)
    if (reply.kind !== 'done')
      throw unavailable(reply.kind === 'failed' ? reply.reason : 'its session does not start')
  }
  const until = async (what: string, condition: () => Promise<boolean>): Promise<void> => {
    const end = performance.now() + START_WITHIN
    for (let pause = POLL; !(await condition()); pause = Math.min(pause * 1.5, LONGEST_POLL)) {
      if (performance.now() > end) throw unavailable(`it does not ${what}`)
      await delay(pause)
    }
  }
  /** Clients that look, by their numbers, and the panes they are in. */
  const clients = async (): Promise<{ number: number; pane: string }[]> => {
    for (let look = 0; look < LOOKS; look += 1) {
      const reply = await action('list-clients')
      // Without the heading it is no answer, but a lost one.
      if (reply.kind === 'done' && reply.stdout.includes('CLIENT_ID'))
        return [...reply.stdout.matchAll(/^\s*(\d+)\s+(\w+_\d+)/gm)].map(
          ([, number, pane = '']) => ({ number: Number(number), pane }),
        )
      await delay(POLL)
    }
    return []
  }
  const looking = async (): Promise<string[]> => (await clients()).map(({ pane }) => pane)
  /** Another client than those that are there, none of which may be about to leave. */
  const another = async (): Promise<Client> => {
    const before = (await clients()).length
    let came: Client | undefined
    try {
      await until('take a client', async () => {
        // A busy one may think that its session is not there, and the client leaves.
        if (came === undefined || came.ended)
          came = startClient([binary, '--config', config, 'attach', name], env, {
            ...size,
            rows: size.rows + BAR,
          })
        return (await clients()).length > before
      })
    } catch (error) {
      came?.stop()
      throw error
    }
    if (came === undefined) throw unavailable('it takes no client')
    return came
  }
  /**
   * Another client that has the number which the next one gets after it: a command that has not
   * left yet may hold it.
   */
  const withLeastNumber = async (): Promise<Client> => {
    const taken = new Set((await clients()).map(({ number }) => number))
    let least = 1
    while (taken.has(least)) least += 1
    for (let attempt = 1; ; attempt += 1) {
      const came = await another()
      if (attempt === SCOUTS || (await clients()).some(({ number }) => number === least))
        return came
      came.stop()
      await until('let a client go', async () => (await clients()).length === taken.size)
    }
  }
  /** The session with a client of ours, which has to be the first: people begin where that is. */
  const begin = async (): Promise<void> => {
    client?.stop()
    await create()
    await takeFirst()
  }
  const takeFirst = async (): Promise<void> => {
    // The one that made it is a client too for a moment.
    await until('let go of who made it', async () => (await clients()).length === 0)
    client = await another()
  }
  const take = (guide: Client | undefined, pane: string, number: number): Promise<void> =>
    until(`show ${pane}`, async () => {
      guide?.press()
      await action('focus-pane-id', pane)
      return (await looking()).filter((one) => one === pane).length >= number
    })

  const kill: Session['kill'] = async (session) => {
    await runAnyway(['kill-session', session])
    // What it kept for a list of sessions that have ended (in ~/.cache): of ours nobody is to find
    // one there.
    await runAnyway(['delete-session', '--force', session])
    // One whose socket is gone does not receive this.
    const servers = findByArguments(
      (argv) => argv.includes('--server') && argv.some((word) => word.endsWith(`/${session}`)),
    )
    await endProcesses([], servers, { grace: GRACE })
  }

  return {
    kill,
    binary,
    name,
    action,
    list,
    get noFocus() {
      return version === undefined || leavesFocus(version) ? ['--no-focus'] : []
    },
    ensure: async ({ columns, rows }) => {
      size = { columns, rows }
      await requireVersion()
      let seen = await look()
      // A busy one says so too: its panes are not to go for that.
      if (seen === 'no-session') {
        client?.stop()
        const refused: unknown = await create().then(
          () => undefined,
          (error: unknown) => error,
        )
        if (refused !== undefined) seen = await look()
        if (refused !== undefined && typeof seen === 'string') throw refused
        // One that it has lost and still counts would be counted for good.
        if (refused === undefined)
          await takeFirst().catch(async () => {
            await kill(name)
            await begin()
          })
      }
      let entries = typeof seen === 'string' ? undefined : seen
      if (client === undefined || client.ended) client = await another()
      await until('list its panes', async () => (entries ??= await list()) !== undefined)
      return entries ?? []
    },
    lead: async (pane, shared) => {
      clearTimeout(homeward)
      const there = (await looking()).filter((one) => one === pane).length
      await take(client, pane, 1)
      if (shared) {
        const scout = await withLeastNumber()
        await take(scout, pane, there + 2).finally(() => scout.stop())
        await until(
          'let a client go',
          async () => (await looking()).filter((one) => one === pane).length < there + 2,
        )
      }
      await delay(LET_GO)
      homeward = setTimeout(() => client?.goHome(), FOLLOW_WITHIN)
      homeward.unref()
    },
    stop: async () => {
      clearTimeout(homeward)
      client?.stop()
      await kill(name)
      await rm(folder, { recursive: true, force: true })
    },
    dispose: () => {
      clearTimeout(homeward)
      client?.stop()
    },
  }

  /** `lasts`: nothing is to be had of it by trying again. */
  function unavailable(reason: string, lasts = false): ExomonadError {
    return new ExomonadError(
      'MULTIPLEXER_UNAVAILABLE',
      `Zellij shows no agents: ${reason}. \`exomonad doctor\` says more.`,
      {
        session: name,
        ...(lasts && { lasts }),
      },
    )
  }
}
