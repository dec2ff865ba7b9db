import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import Database from 'better-sqlite3'
import { readEnvironment } from '../../src/config/environment.ts'
import { listRepositoryRecords, type RepositoryRecord } from '../../src/config/user-state.ts'
import { repositoryHash } from '../../src/runtime/paths.ts'
import { createClient, type WireEvent } from '../../src/surfaces/client.ts'
import { runProgram, type RunResult } from './daemon.ts'
import { BIN } from './programs.ts'
import { isAlive } from './processes.ts'
import { tempHome } from './temp-repository.ts'
import { waitFor } from './wait-for.ts'

/**
 * Where a person runs `exomonad demo`: home and temporary folder of its own, so that all of it
 * lands in `folder`.
 */
export interface DemoPlace {
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
  remove(): void
}

export function demoPlace(): DemoPlace {
  const { folder, env, remove } = tempHome()
  return { folder, env: { ...env, TMPDIR: folder, NO_COLOR: '1' }, remove }
}

/** Runs `exomonad demo` to its end. `timeout` in milliseconds. */
export const runDemo = (
  { folder, env }: DemoPlace,
  timeout: number,
  ...args: string[]
): Promise<RunResult> =>
  runProgram(process.execPath, [BIN, 'demo', ...args], { cwd: folder, env, timeout })

/** A demo that stays (`--keep`), while it runs and after it. */
export interface KeptDemo {
  /** The demo’s own end. */
  readonly ended: Promise<RunResult>
  /**
   * Kills the daemon (SIGKILL) as soon as such an event is there, and starts it again; each time
   * until the demo ends.
   */
  killAt(test: (event: WireEvent) => boolean): Promise<void>
  /** Of the demo’s repository; exist once the demo has begun. */
  exomonad(...args: string[]): Promise<RunResult>
  git(...args: string[]): Promise<string>
  /** Rows of the store, read beside the daemon. */
  rows<Row>(query: string): Promise<Row[]>
  /** Ends its agents, daemon and whatever else it started. */
  down(): Promise<RunResult>
}

export function keepDemo({ folder, env }: DemoPlace, timeout: number, ...args: string[]): KeptDemo {
  const demo = (): string => {
    const found = readdirSync(folder).find((name) => name.startsWith('exomonad-demo-'))
    if (found === undefined) throw new Error(`no demo in ${folder}`)
    return join(folder, found)
  }
  const repository = (): string => join(demo(), 'repository')
  const home = (): string => join(demo(), 'home')
  const run = (file: string, given: readonly string[]): Promise<RunResult> =>
    runProgram(file, given, {
      cwd: repository(),
      env: { ...env, HOME: home(), GIT_CONFIG_GLOBAL: join(home(), '.gitconfig') },
      timeout: 120_000,
    })
  const exomonad: KeptDemo['exomonad'] = (...given) => run(join(demo(), 'exomonad'), given)

  const environment = () =>
    readEnvironment({ ...env, HOME: home(), XDG_STATE_HOME: join(home(), '.local', 'state') })
  const record = async (): Promise<RepositoryRecord | undefined> =>
    existsSync(folder) && readdirSync(folder).some((name) => name.startsWith('exomonad-demo-'))
      ? (await listRepositoryRecords(environment()))[0]
      : undefined
  const serving = (
    what: string,
    other: number | null,
  ): Promise<RepositoryRecord & { pid: number }> =>
    waitFor(
      what,
      async () => {
        const found = await record()
        return found !== undefined && found.pid !== null && found.pid !== other
          ? { ...found, pid: found.pid }
          : undefined
      },
      { limit: 120_000 },
    )

  const kill = async (pid: number): Promise<void> => {
    process.kill(pid, 'SIGKILL')
    await waitFor('the daemon to be gone', () => !isAlive(pid))
    const start = (): Promise<RunResult> => exomonad('daemon', 'start')
    const first = await start()
    // On a busy machine it may take longer than a person would wait.
    const started = first.code === 0 ? first : await start()
    if (started.code !== 0)
      throw new Error(`the daemon does not start again: ${started.stdout}${started.stderr}`)
  }

  const ended = runProgram(
    process.execPath,
    [BIN, 'demo', '--json', '--keep', '--multiplexer', 'headless', ...args],
    { cwd: folder, env, timeout },
  )
  return {
    ended,
    async killAt(test) {
      const first = await serving('the demo’s daemon', null)
      const token = readFileSync(
        join(environment().stateHome, 'exomonad', `${repositoryHash(first.commonDir)}.token`),
        'utf8',
      ).trim()
      let { pid } = first
      const over = new AbortController()
      void ended.then(() => over.abort())
      for await (const event of createClient({ socket: first.socket, token }).events({
        follow: true,
        after: 0,
        signal: over.signal,
      })) {
        if (!test(event)) continue
        await kill(pid)
        ;({ pid } = await serving('the daemon that was started again', pid))
      }
    },
    exomonad,
    async git(...given) {
      const result = await run('git', given)
      if (result.code !== 0) throw new Error(`git ${given.join(' ')}: ${result.stderr}`)
      return result.stdout.trimEnd()
    },
    async rows<Row>(query: string) {
      const database = new Database(join(repository(), '.git', 'exomonad', 'store.db'), {
        readonly: true,
      })
      try {
        return database.prepare(query).all() as Row[]
      } finally {
        database.close()
      }
    },
    down: () => exomonad('down'),
  }
}

/** Processes that were started out of the folder. */
export const processesOf = (folder: string): string[] =>
  readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid) && Number(pid) !== process.pid)
    .filter((pid) => {
      try {
        if (readFileSync(`/proc/${pid}/cmdline`, 'latin1') === '') return false
        const output =
          readFileSync(`/proc/${pid}/cmdline`, 'latin1') +
          readFileSync(`/proc/${pid}/environ`, 'latin1') +
          readlinkSync(`/proc/${pid}/cwd`)
        return output.includes(folder)
      } catch {
        return false
      }
    })
