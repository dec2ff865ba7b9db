import { execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'

/**
 * A real PostgreSQL of Debian's for a test: own data folder, own Unix socket, no network. It is a
 * copy of a cluster that was made once on this machine, and is there within a second or two. It runs
 * as `postgres` where the tests run as root, which PostgreSQL refuses.
 *
 * `fsync` is off: what these tests end are processes, never the machine, so that all that was written
 * is in the system's cache, and a commit is there after a kill -9 as it would be with it on.
 */

const BIN = '/usr/lib/postgresql/15/bin'
const IS_ROOT = process.getuid?.() === 0
/** Where both the server's user and this one can go. */
const PLACE = IS_ROOT
  ? '/var/lib/postgresql/exomonad-tests'
  : join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'exomonad', 'postgres')

/** The command that runs another one as the user that servers run as. */
export const asServer = (argv: readonly string[]): readonly string[] =>
  IS_ROOT ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups', ...argv] : argv

function run(...argv: readonly string[]): void {
  const [file = '', ...args] = asServer(argv)
  execFileSync(file, args, { stdio: ['ignore', 'ignore', 'inherit'], cwd: '/' })
}

/** Why there is none; null where there is. In CI there has to be. */
export function whyNoPostgres(): string | null {
  if (existsSync(join(BIN, 'postgres'))) return null
  if (process.env['CI'] === 'true')
    throw new Error(`There is no ${BIN}: apt-get install postgresql-15`)
  return 'PostgreSQL 15 is not installed'
}

/** Roles: `owner` may do anything, `locked` needs its password, `plain` may not make schemas. */
function template(): string {
  const folder = join(PLACE, 'template')
  if (existsSync(folder)) return folder
  mkdirSync(PLACE, { recursive: true, mode: 0o755 })
  if (IS_ROOT) execFileSync('chown', ['postgres:postgres', PLACE])
  const draft = mkdtempSync(join(PLACE, 'draft-'))
  if (IS_ROOT) execFileSync('chown', ['postgres:postgres', draft])
  run(
    ...[join(BIN, 'initdb'), '-D', draft, '--username=owner', '--auth=trust', '--no-sync'],
    ...['--encoding=UTF8', '--locale=C.UTF-8', '--no-instructions'],
  )
  writeFileSync(join(draft, 'pg_hba.conf'), 'local all locked scram-sha-256\nlocal all all trust\n')
  try {
    renameSync(draft, folder)
  } catch {
    // Another process was quicker.
    rmSync(draft, { recursive: true, force: true })
  }
  return folder
}

export interface Server {
  /** Of the server's socket. */
  readonly folder: string
  /** What `[store] url_file` may hold. */
  url(options?: { user?: string; database?: string; password?: string }): string
  /** As `owner`. */
  sql(text: string, database?: string): Promise<Record<string, unknown>[]>
  /** Makes a folder the server's own. */
  give(folder: string): void
  /** kill -9 of the server and of all its processes. */
  kill(): Promise<void>
  /** SIGTERM to its first process, or what another signal does. */
  stop(signal?: NodeJS.Signals): Promise<void>
  start(): Promise<void>
  /** Ends it and takes its folder away. */
  dispose(): Promise<void>
}

export async function startPostgres(
  settings: Readonly<Record<string, string | number>> = {},
): Promise<Server> {
  const from = template()
  const folder = mkdtempSync(join(PLACE, 's-'))
  const data = join(folder, 'data')
  if (IS_ROOT) {
    execFileSync('chown', ['postgres:postgres', folder])
    execFileSync('cp', ['-a', '--reflink=auto', from, data])
  } else cpSync(from, data, { recursive: true, preserveTimestamps: true })
  chmodSync(folder, 0o755)
  chmodSync(data, 0o700)
  const all = {
    listen_addresses: '',
    unix_socket_directories: folder,
    fsync: 'off',
    shared_buffers: '16MB',
    max_connections: 60,
    ...settings,
  }
  let first: { pid: number; ended: Promise<unknown> } | undefined

  const url: Server['url'] = ({ user = 'owner', database = 'postgres', password } = {}) =>
    `postgresql://${user}${password === undefined ? '' : `:${password}`}@/${database}?host=${encodeURIComponent(folder)}`

  const sql: Server['sql'] = async (text, database = 'postgres') => {
    const client = new pg.Client({ host: folder, user: 'owner', password: '', database })
    client.on('error', () => {})
    await client.connect()
    try {
      const result = await client.query(text)
      return result.rows ?? []
    } finally {
      await client.end()
    }
  }

  const start = async (): Promise<void> => {
    const giveUpAt = Date.now() + 30_000
    for (;;) {
      const [file = '', ...args] = asServer([
        join(BIN, 'postgres'),
        '-D',
        data,
        ...Object.entries(all).flatMap(([key, value]) => ['-c', `${key}=${value}`]),
      ])
      const child = spawn(file, args, { stdio: ['ignore', 'ignore', 'pipe'], cwd: '/' })
      let said = ''
      child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text))
      const ended = new Promise((resolve) => child.once('close', resolve))
      first = { pid: child.pid ?? 0, ended }
      while (child.exitCode === null && child.signalCode === null) {
        const isUp = await sql('select 1').then(
          () => true,
          () => false,
        )
        if (isUp) return
        await delay(20)
      }
      // Processes of the server that was killed may still be there.
      if (Date.now() > giveUpAt) throw new Error(`PostgreSQL does not start:\n${said}`)
      await delay(50)
    }
  }

  const end = async (pids: readonly number[], signal: NodeJS.Signals): Promise<void> => {
    for (const pid of pids) {
      try {
        process.kill(pid, signal)
      } catch {
        // Gone by itself.
      }
    }
    await first?.ended
    first = undefined
  }

  await start()
  return {
    folder,
    url,
    sql,
    start,
    give: (path) => {
      if (IS_ROOT) execFileSync('chown', ['postgres:postgres', path])
    },
    kill: async () => {
      if (first !== undefined) await end([first.pid, ...childrenOf(first.pid)], 'SIGKILL')
    },
    stop: async (signal = 'SIGINT') => {
      if (first !== undefined) await end([first.pid], signal)
    },
    dispose: async () => {
      if (first !== undefined) await end([first.pid, ...childrenOf(first.pid)], 'SIGKILL')
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

const childrenOf = (pid: number): number[] =>
  readdirSync('/proc')
    .map(Number)
    .filter((one) => {
      if (!Number.isInteger(one)) return false
      try {
        return (
          Number(readFileSync(`/proc/${one}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[1]) ===
          pid
        )
      } catch {
        return false
      }
    })
