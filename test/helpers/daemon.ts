import { execFile } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { ExomonadError } from '../../src/domain/errors.ts'
import { askHealth } from '../../src/surfaces/cli/daemon/health.ts'
import { createClient, type Client } from '../../src/surfaces/client.ts'
import { repositoryHash } from '../../src/runtime/paths.ts'
import { ownCommand, parseJson } from './own-command.ts'
import { stopPooledDaemon } from './daemon-pool.ts'
import { isAlive } from './processes.ts'
import { BIN } from './programs.ts'
import { replaceFile } from './replace-file.ts'
import {
  tempRepository,
  type TempRepository,
  type TempRepositoryOptions,
} from './temp-repository.ts'
import { followLog } from './daemon-logs.ts'
import { waitFor } from './wait-for.ts'

/**
 * Test helper: the real daemon, through the real command line, in a repository and home of its own.
 * Use:
 *
 *   const tree = await startExomonad()
 *   onTestFinished(() => tree.stop())
 *   tree.script('auth', { steps: [{ do: 'write', path: 'a.txt', content: 'a' }, { do: 'commit', message: 'Add a' }] })
 *   await tree.call('spawn_workers', { specs: [{ name: 'auth', prompt: 'Do it' }] })
 *
 * Agents of both roles are test/fixtures/agents/scripted.js, driven by `script(name, …)` (see its
 * head for the steps).
 */
export interface Exomonad {
  readonly repository: TempRepository
  /** `<git-common-dir>/exomonad`. */
  readonly state: string
  /** Folder with the agents’ scripts and logs. */
  readonly scripts: string
  /**
   * Runs `exomonad …` in the repository; never throws for its exit code. `json` is stdout parsed,
   * undefined where it is no JSON.
   */
  run(args: readonly string[], options?: RunOptions): Promise<RunResult>
  /**
   * The same in this process, at a tenth of what a process costs: for tests of something else than
   * the command line. The daemon of another program (`bin`) gets its own command line all the same.
   */
  command(
    args: readonly string[],
    options?: Pick<RunOptions, 'cwd' | 'env' | 'input'>,
  ): Promise<RunResult>
  /**
   * A tool called with the owner’s token from this process (as `exomonad call TOOL`): the result;
   * throws what was said. `as` acts for another agent.
   */
  call<Result = any>(tool: string, input?: unknown, options?: { as?: string }): Promise<Result>
  /** The same, for calls that must fail: the error’s document. */
  refusal(
    tool: string,
    input?: unknown,
    options?: { as?: string },
  ): Promise<{ error: string; code: string; [fact: string]: unknown }>
  tree(): Promise<any>
  /** The node of one agent by name, or undefined. */
  agent(name: string): Promise<any>
  /** All stored events, oldest first. */
  events(): Promise<any[]>
  /** Writes the script an agent of that name will run. */
  script(name: string, script: unknown): void
  /** A client with the owner’s token, who acts for this agent. */
  client(as?: string): Client
  /** What a scripted agent wrote to its log. */
  log(name: string): Record<string, any>[]
  /** Waits for a log entry of a scripted agent. */
  logged(
    name: string,
    what: string,
    test: (entry: Record<string, any>) => boolean,
  ): Promise<Record<string, any>>
  daemonPid(): Promise<number>
  /** Kills the daemon as a crash would (SIGKILL) and waits until it is gone. */
  crash(): Promise<void>
  /** Ends agents, daemon, terminals; removes the folder. */
  stop(): Promise<void>
}

export interface RunOptions {
  readonly cwd?: string
  readonly input?: string
  readonly env?: Readonly<Record<string, string>>
  /** Milliseconds; the default is a minute. */
  readonly timeout?: number
}
export interface RunResult {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  readonly json: any
}

export interface ExomonadOptions extends TempRepositoryOptions {
  /** `[multiplexer] kind`. Default headless; tests that need tmux or Zellij ask for it. */
  readonly multiplexer?: 'tmux' | 'zellij' | 'headless'
  /**
   * Further TOML, appended to the configuration. Keys of [multiplexer] and the two roles are set
   * already.
   */
  readonly config?: string
  /** TOML of keys outside of any table. */
  readonly topConfig?: string
  /** [agents.NAME] of each role, where they are not scripted agents, and the runtime of dev. */
  readonly roles?: { readonly tl?: string; readonly dev?: string; readonly runtime?: 'acp' }
  /** Called before `exomonad init`, with the home of the person who runs it. */
  readonly prepareHome?: (home: string) => void
  /** The program, where it is not this checkout’s. */
  readonly bin?: string
  /** The scripted agent, where it is not this checkout’s. */
  readonly agent?: string
  /** Further arguments of `exomonad init`. */
  readonly initArgs?: readonly string[]
  /** False to leave `exomonad init` to the test. */
  readonly init?: boolean
  /** Extra environment of the command line (and so of the daemon). */
  readonly env?: Readonly<Record<string, string>>
}

/** How long a call may take. Milliseconds. */
const CALL_LIMIT = 110_000

const top = join(import.meta.dirname, '..', '..')
const SCRIPTED = join(top, 'test', 'fixtures', 'agents', 'scripted.js')

/** Runs a program to its end with exactly this environment. */
export function runProgram(
  file: string,
  args: readonly string[],
  options: RunOptions & { env: Readonly<Record<string, string>> },
): Promise<RunResult> {
  return new Promise((resolve) => {
    const child = execFile(
      file,
      [...args],
      {
        cwd: options.cwd,
        env: { ...options.env },
        timeout: options.timeout ?? 60_000,
        killSignal: 'SIGKILL',
        maxBuffer: 64 * 1024 * 1024,
      },
      (error, stdout, stderr) => {
        const code = error ? (typeof error.code === 'number' ? error.code : null) : 0
        resolve({ code, stdout, stderr, json: parseJson(stdout) })
      },
    )
    child.stdin?.on('error', () => {})
    child.stdin?.end(options.input ?? '')
  })
}

/** TOML that makes both roles scripted agents. */
export function scriptedConfig(
  scripts: string,
  multiplexer: NonNullable<ExomonadOptions['multiplexer']>,
  more = '',
  roles: ExomonadOptions['roles'] = {},
  agent = SCRIPTED,
): string {
  const quote = (text: string): string => JSON.stringify(text)
  return `[roles.tl]
agent = ${quote(roles.tl ?? 'scripted')}
[roles.dev]
agent = ${quote(roles.dev ?? 'scripted')}
${roles.runtime === undefined ? '' : `runtime = ${quote(roles.runtime)}`}
[agents.scripted]
adapter = "command"
command = ["{{node}}", ${quote(agent)}, "{{prompt_file}}"]
env = { SCRIPTED_AGENTS = ${quote(scripts)} }
acks = true
reports_state = true
enter_delay_ms = 20
[multiplexer]
kind = "${multiplexer}"
${more}
`
}

/**
 * What agents wrote to their logs so far. Tests look again and again: what was read before is not
 * read anew.
 */
function createLogs(scripts: string): Exomonad['log'] {
  const known = new Map<string, { bytes: number; entries: Record<string, any>[] }>()
  return (name) => {
    const path = join(scripts, `${name}.log`)
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
    const before = known.get(name)
    const { bytes, entries } =
      before === undefined || size < before.bytes ? { bytes: 0, entries: [] } : before
    if (size === bytes) return [...entries]
    const added = readFileSync(path).subarray(bytes)
    // What stands behind the last line end is being written.
    const whole = added.subarray(0, added.lastIndexOf('\n') + 1)
    const lines = whole.toString('utf8').split('\n').slice(0, -1)
    const all = [...entries, ...lines.map((line) => JSON.parse(line))]
    known.set(name, { bytes: bytes + whole.length, entries: all })
    return [...all]
  }
}

export async function startExomonad(options: ExomonadOptions = {}): Promise<Exomonad> {
  const before = new Set(processIds())
  const repository = await tempRepository(options)
  const scripts = join(repository.folder, 'scripts')
  mkdirSync(scripts)
  mkdirSync(join(repository.path, '.exomonad'), { recursive: true })
  const multiplexer =
    options.multiplexer ??
    (process.env['EXOMONAD_TEST_MULTIPLEXER'] === 'tmux' ? 'tmux' : 'headless')
  writeFileSync(
    join(repository.path, '.exomonad', 'config.toml'),
    `${options.topConfig ?? ''}\n${scriptedConfig(scripts, multiplexer, options.config, options.roles, options.agent)}`,
  )
  options.prepareHome?.(repository.home)
  const commonDir = await repository.git('rev-parse', '--path-format=absolute', '--git-common-dir')
  const state = join(commonDir, 'exomonad')
  // Zellij keeps its log in the temporary folder.
  const own = multiplexer === 'zellij' ? { TMPDIR: repository.folder } : {}
  const bin = options.bin ?? BIN
  const env: Record<string, string> = { ...repository.env, NO_COLOR: '1', ...own, ...options.env }

  const run = (args: readonly string[], runOptions: RunOptions = {}): Promise<RunResult> =>
    runProgram(process.execPath, [bin, ...args], {
      cwd: repository.path,
      ...runOptions,
      env: { ...env, ...runOptions.env },
    })
  const command: Exomonad['command'] = (args, { cwd = repository.path, input, ...given } = {}) =>
    bin === BIN
      ? ownCommand(args, { cwd, env: { ...env, ...given.env }, bin, input })
      : run(args, { cwd, ...(input === undefined ? {} : { input }), ...given })
  const client = (as?: string): Client => {
    const { socket } = JSON.parse(readFileSync(join(state, 'repository.json'), 'utf8'))
    const token = readFileSync(
      join(env['XDG_STATE_HOME'] ?? '', 'exomonad', `${repositoryHash(commonDir)}.token`),
      'utf8',
    ).trim()
    return createClient({ socket, token, ...(as === undefined ? {} : { as }) })
  }
  /**
   * As `exomonad call` does it, in this process: the daemon is started where nobody listens; a call
   * that was taken is never made again.
   */
  const started = async <Result>(
    as: string | undefined,
    work: (client: Client) => Promise<Result>,
  ): Promise<Result> => {
    try {
      return await work(client(as))
    } catch (error) {
      if (
        !(error instanceof ExomonadError) ||
        error.code !== 'DAEMON_UNAVAILABLE' ||
        error.facts['connected'] !== false
      )
        throw error
      const begun = await command(['daemon', 'start'])
      if (begun.code !== 0)
        throw new Error(
          `daemon start ended with ${String(begun.code)}: ${begun.stdout}\n${begun.stderr}`,
          { cause: error },
        )
      return work(client(as))
    }
  }
  const call = (tool: string, input?: unknown, { as }: { as?: string } = {}): Promise<any> =>
    started(as, (daemon) =>
      daemon.callTool(tool, input ?? {}, { signal: AbortSignal.timeout(CALL_LIMIT) }),
    ).catch((error: unknown) => {
      // With a stack of the test's own.
      if (!(error instanceof ExomonadError)) throw error
      throw new ExomonadError(
        error.code,
        `call ${tool}: ${error.code}: ${error.message} ${JSON.stringify(error.facts)}`,
        error.facts,
        { cause: error },
      )
    })
  const log = createLogs(scripts)
  const flatten = (node: any): any[] => [node, ...node.children.flatMap(flatten)]
  const tree = async (): Promise<any> => call('tree')
  const daemonPid = async (): Promise<number> => {
    // One that is busy runs and does not answer at once.
    const { socket } = JSON.parse(readFileSync(join(state, 'repository.json'), 'utf8'))
    const health = await waitFor('the daemon to answer', () =>
      askHealth(socket).then((answer) => answer !== 'silent' && answer),
    )
    if (health === 'absent') throw new Error('no daemon runs')
    return health.pid
  }

  /** As `exomonad down` does it, without a program of its own. Throws where no daemon runs. */
  const down = async (): Promise<void> => {
    const { socket } = JSON.parse(readFileSync(join(state, 'repository.json'), 'utf8'))
    await client().callTool('down', {}, { signal: AbortSignal.timeout(30_000) })
    const health = await askHealth(socket)
    if (typeof health === 'string') throw new Error('it does not answer')
    if (await stopPooledDaemon(health.pid)) return
    process.kill(health.pid, 'SIGTERM')
    await waitFor('the daemon to end', () => !isAlive(health.pid))
  }

  const ownLog = followLog(join(state, 'logs', 'daemon.log'))
  const exomonad: Exomonad = {
    repository,
    state,
    scripts,
    run,
    command,
    call,
    async refusal(tool, input, callOptions) {
      const result = await started(callOptions?.as, (daemon) =>
        daemon.callTool(tool, input ?? {}),
      ).catch((error: unknown) => {
        if (error instanceof ExomonadError) return error
        throw error
      })
      if (!(result instanceof ExomonadError))
        throw new Error(`call ${tool} was expected to fail and returned ${JSON.stringify(result)}`)
      return { error: result.message, code: result.code, ...result.facts }
    },
    tree,
    agent: async (name) => flatten((await tree()).root).find((node) => node.name === name),
    events: () =>
      started(undefined, async (daemon) => {
        const events: unknown[] = []
        for await (const event of daemon.events({ follow: false })) events.push(event)
        return events
      }),
    script: (name, script) => replaceFile(join(scripts, `${name}.json`), JSON.stringify(script)),
    client,
    log,
    logged: (name, what, test) =>
      waitFor(`${what} in the log of ${name}`, () => log(name).find(test), { limit: 60_000 }),
    daemonPid,
    async crash() {
      const pid = await daemonPid()
      process.kill(pid, 'SIGKILL')
      await waitFor('the daemon to be gone', () => !isAlive(pid))
    },
    async stop() {
      ownLog.forget()
      if (existsSync(state)) await down().catch(() => run(['down'], { timeout: 30_000 }))
      await endTerminals(commonDir, env)
      await endProcesses(repository.folder, before)
      // Of a server that a tmux of a killed daemon's started after that.
      removeTmuxSocket(tmuxSocketOf(commonDir))
      repository.remove()
    },
  }
  if (options.init !== false) {
    const result = await ownCommand(['init', ...(options.initArgs ?? [])], {
      ...{ cwd: repository.path, env, bin },
    })
    if (result.code !== 0) {
      await exomonad.stop()
      throw new Error(
        `exomonad init ended with ${String(result.code)}: ${result.stdout}${result.stderr}`,
      )
    }
    if (!existsSync(state)) throw new Error('exomonad init made no state folder')
  }
  return exomonad
}

/** Ends this repository’s own tmux server, if there is one, and takes its socket file away. */
export async function endTerminals(
  commonDir: string,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  const socket = tmuxSocketOf(commonDir)
  if (!existsSync(join(env['TMUX_TMPDIR'] ?? '/tmp', TMUX_FOLDER, socket))) return
  await runProgram('tmux', ['-L', socket, 'kill-server'], { env, timeout: 10_000 })
  removeTmuxSocket(socket)
}

const tmuxSocketOf = (commonDir: string): string => `exomonad-${repositoryHash(commonDir)}`
const TMUX_FOLDER = `tmux-${process.getuid?.() ?? 0}`

/** tmux leaves its socket behind when its server ends. */
export const removeTmuxSocket = (name: string): void =>
  rmSync(join(process.env['TMUX_TMPDIR'] ?? '/tmp', TMUX_FOLDER, name), { force: true })

/** Of all that run. */
const processIds = (): number[] => readdirSync('/proc').map(Number).filter(Number.isInteger)

/**
 * Ends, by pid, whatever still runs out of this folder. A test that needs this has found a leak
 * only where the product should have ended it. `before`: what ran before the folder was there.
 */
async function endProcesses(folder: string, before: ReadonlySet<number>): Promise<void> {
  const pids = (): number[] =>
    processIds().filter((pid) => !before.has(pid) && mentions(pid, folder))
  // Again and again: one may start another between two looks, and one that is just becoming another
  // program can't be recognized.
  let still = 0
  await waitFor('processes to end', () => {
    const found = pids()
    for (const pid of found) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // It ended by itself.
      }
    }
    still = found.length === 0 ? still + 1 : 0
    return still === 2
  })
}

function mentions(pid: number, folder: string): boolean {
  try {
    if (readFileSync(`/proc/${pid}/cmdline`, 'latin1') === '') return false
    return (
      readFileSync(`/proc/${pid}/environ`, 'latin1').includes(folder) ||
      readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(folder) ||
      readlinkSync(`/proc/${pid}/cwd`).startsWith(folder)
    )
  } catch {
    return false
  }
}
