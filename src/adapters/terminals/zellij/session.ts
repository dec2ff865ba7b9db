import { randomUUID } from 'node:crypto'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { asExomonadError, ExomonadError } from '../../../errors.ts'
import { acquireInstanceLock } from '../../instance-lock.ts'
import type { Commands, Reply } from './commands.ts'
import { HOME_KEY } from './client.ts'
import { parseEntries } from './panes.ts'
import { zellijProcesses } from './people.ts'
import type { Sockets } from './sockets.ts'
import { isEnough, parseZellijVersion, ZELLIJ_NEEDED } from './version.ts'

/** Rows that the bar of each tab takes. */
export const BARS = 1

const LAYOUT = 'agents'
/** What Zellij calls text in its configuration is written like a string of JSON. */
const quote = (text: string): string => JSON.stringify(text)

/**
 * Of the server and our own client. What a session looked like is not written down: Zellij would start the agents’ commands anew from that.
 */
const configuration = (layouts: string): string => `session_serialization false
show_startup_tips false
show_release_notes false
web_server false
on_force_close "detach"
scroll_buffer_size 2000
layout_dir ${quote(layouts)}
default_layout ${quote(LAYOUT)}
load_plugins {
}
keybinds {
  shared {
    bind ${quote(HOME_KEY.name)} { GoToTab 1; }
  }
}
`

/** The first tab stays empty: a session without panes would end. The bar tells a person of the others. What is typed there goes nowhere. */
const layout = `layout {
  default_tab_template {
    pane size=${String(BARS)} borderless=true {
      plugin location="zellij:compact-bar"
    }
    children
  }
  tab name="exomonad" {
    pane name="Agents of exomonad" command="/bin/sh" {
      args "-c" "stty raw -echo; printf 'Agents of exomonad have the other tabs.'; exec cat >/dev/null"
    }
  }
}
`

const START_ATTEMPTS = 8
const START_POLL = 50
/** Between questions to a server that runs but does not answer, and how many times it may have no socket. Milliseconds. */
const BUSY_POLL = 500
const LOST_AFTER = 4
/** A server that is only just starting may lose what it is asked. Milliseconds. */
const FIRST_ANSWER = 2000
const LOCK_POLL = 20
const LOCK_LIMIT = 30_000
const STOP_POLL = 10
const STOP_WAIT = 1000
/** A server with much to do does not answer for seconds, and is ended without it. Milliseconds. */
const STOP_ANSWER = 2000
const STOP_ATTEMPTS = 5

export interface Session {
  readonly configFile: string
  /** Throws MULTIPLEXER_UNAVAILABLE where Zellij is not there or too old. Answers its version. */
  requireVersion(): Promise<string>
  /** Starts it in the background where it does not run. Two at the same time end up with one. */
  ensure(): Promise<void>
  /** Ends it, and waits until its server is gone. */
  stop(): Promise<void>
  /** Does something while no other process of ours starts the session or comes to it. */
  alone(work: () => Promise<void>): Promise<void>
}

/** `folder`: for its configuration. */
export function createSession({ commands, sockets, folder }: { commands: Commands; sockets: Sockets; folder: string }): Session {
  const configFile = join(folder, 'config.kdl')
  const layouts = join(folder, 'layouts')

  const write = async (file: string, text: string): Promise<void> => {
    const draft = `${file}~${randomUUID()}`
    await writeFile(draft, text)
    await rename(draft, file)
  }
  /** Zellij takes the socket of a server away that is only just starting, when it is asked for it at that moment. */
  const alone = async (work: () => Promise<void>): Promise<void> => {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    for (const end = performance.now() + LOCK_LIMIT; ; await delay(LOCK_POLL)) {
      const lock = acquireInstanceLock(join(folder, 'session.lock'))
      if (lock.kind === 'acquired') return work().finally(() => lock.release())
      if (performance.now() > end)
        throw new ExomonadError(
          'MULTIPLEXER_UNAVAILABLE',
          'Zellij’s session is being started by another process of exomonad’s, which does not come to an end. Run `exomonad doctor`.',
          {
            pid: lock.pid,
          },
        )
    }
  }
  const answers = async (): Promise<Reply> => {
    const reply = await commands
      .ask(['list-panes', '--json'], FIRST_ANSWER)
      .catch((error: unknown) => ({ kind: 'failed', reason: asExomonadError(error).message }) as const)
    return reply.kind === 'done' && parseEntries(reply.stdout) === undefined ? { kind: 'failed', reason: 'it lists nothing' } : reply
  }
  const servers = async (): Promise<number[]> =>
    (await zellijProcesses()).flatMap(({ pid, argv }) => (argv.includes('--server') && argv.some((word) => word.endsWith(`/${commands.session}`)) ? [pid] : []))
  /**
   * Whether there is a server that answers, though not now: Zellij may think that it is not there, and a second one would take its socket. One of before
   * that has no socket can't be reached any more.
   */
  const isBusy = async (listed: Reply, before: readonly number[]): Promise<boolean> => {
    const running = await servers()
    return listed.kind === 'no-session' ? running.some((pid) => !before.includes(pid)) : running.length > 0
  }
  const create = async (): Promise<Reply> => {
    await mkdir(layouts, { recursive: true, mode: 0o700 })
    await write(configFile, configuration(layouts))
    await write(join(layouts, `${LAYOUT}.kdl`), layout)
    return commands.run(['--config', configFile, 'attach', '--create-background', commands.session], { common: true })
  }
  /** One whose socket was taken away while it started. */
  const endLost = async (before: readonly number[]): Promise<void> => {
    for (const pid of await servers()) if (!before.includes(pid)) kill(pid)
  }

  return {
    alone,
    configFile,
    requireVersion: async () => {
      const reply = await commands.run(['--version'])
      const said = reply.kind === 'done' ? reply.stdout.trim() : ''
      const version = parseZellijVersion(said)
      if (version !== undefined && isEnough(version)) return version
      throw new ExomonadError(
        'MULTIPLEXER_UNAVAILABLE',
        `${version === undefined ? 'This zellij does not tell its version' : `Zellij ${version} is too old`}: exomonad needs ${ZELLIJ_NEEDED} or newer. Install it (\`cargo install --locked zellij\`), or set [multiplexer] kind = "tmux" or "headless".`,
        { found: version ?? said, needed: ZELLIJ_NEEDED },
      )
    },
    ensure: () =>
      alone(async () => {
        let before: readonly number[] | undefined
        let reason = ''
        for (let attempt = 1, lost = 0; attempt <= START_ATTEMPTS; attempt += 1) {
          const listed = await answers()
          if (listed.kind === 'done') return
          if (listed.kind === 'failed') reason = listed.reason
          before ??= listed.kind === 'no-session' ? await servers() : []
          if (await isBusy(listed, before)) {
            lost = listed.kind === 'no-session' ? lost + 1 : 0
            if (lost < LOST_AFTER) {
              await delay(BUSY_POLL)
              continue
            }
            await endLost(before)
            lost = 0
          }
          const made = await create()
          if (made.kind !== 'done') reason = made.kind === 'failed' ? made.reason : made.kind
          if (made.kind !== 'done') await delay(START_POLL)
        }
        throw new ExomonadError('MULTIPLEXER_UNAVAILABLE', `Zellij’s session did not start: ${reason}. Run \`exomonad doctor\`.`, {
          session: commands.session,
        })
      }),
    stop: async () => {
      const running = await servers()
      const left = async (): Promise<number[]> => (await servers()).filter((pid) => running.includes(pid))
      // Of a busy server Zellij may think that it is not there.
      for (let attempt = 0; attempt < STOP_ATTEMPTS && (attempt === 0 || (await left()).length > 0); attempt += 1) {
        await commands.run(['kill-session', commands.session], { limit: STOP_ANSWER }).catch(() => undefined)
        for (let waited = 0; waited < STOP_WAIT && (await left()).length > 0; waited += STOP_POLL) await delay(STOP_POLL)
      }
      for (const pid of await left()) kill(pid)
      // What it kept for a list of sessions that have ended (in ~/.cache): of ours nobody is to find one there.
      await commands.run(['delete-session', '--force', commands.session])
      await sockets.remove()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}
