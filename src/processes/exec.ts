import {
  spawn,
  spawnSync,
  type ChildProcess,
  type ChildProcessWithoutNullStreams,
} from 'node:child_process'
import { closeSync, constants, openSync, rmSync } from 'node:fs'
import { Socket } from 'node:net'
import { constants as constantsOfOs, setPriority } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { execa } from 'execa'
import { sendSignal } from '../../packages/subagents/src/processes/signal.ts'
import { makePipesFolder } from './pipes-folder.ts'

export type { ChildProcess, ChildProcessWithoutNullStreams } from 'node:child_process'

/**
 * The only user of child processes. Every command gets its environment whole: nothing is inherited.
 */
export interface ExecOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
  /** Milliseconds; without `group` the process group is not killed, only the child. */
  readonly timeout?: number
  readonly signal?: AbortSignal
  /**
   * In a process group of its own, which timeout and signal end as a whole: what it started would
   * hold its pipes, and this, open.
   */
  readonly group?: boolean
  /** It gets what processor time others leave. */
  readonly background?: boolean
  /** Bytes kept of each stream; the default is 100 MB. */
  readonly maxBuffer?: number
}

export interface ExecResult {
  /** Null where a signal ended it or it did not start. */
  readonly exitCode: number | null
  readonly signal: string | null
  readonly stdout: string
  readonly stderr: string
  readonly timedOut: boolean
  /** The program could not be started, with the system’s code (`ENOENT`, `EACCES`, `ENOSPC`). */
  readonly startError: string | null
}

/** Runs a command to its end. Never throws for what the command did: look at the result. */
export type Exec = (
  file: string,
  args: readonly string[],
  options?: ExecOptions,
) => Promise<ExecResult>

/** Between asking a group to end and killing it. Milliseconds. */
const GRACE = 3_000

/** Returns how to let go of it once it has ended; that returns whether its time was up. */
function limitGroup(pid: number | undefined, { timeout, signal }: ExecOptions): () => boolean {
  let timedOut = false
  let kill: NodeJS.Timeout | undefined
  const signalGroup = (what: NodeJS.Signals): void => {
    if (pid !== undefined) sendSignal(-pid, what)
  }
  const end = (): void => {
    signalGroup('SIGTERM')
    kill ??= setTimeout(signalGroup, GRACE, 'SIGKILL')
  }
  const timer =
    timeout === undefined
      ? undefined
      : setTimeout(() => {
          timedOut = true
          end()
        }, timeout)
  if (signal?.aborted === true) end()
  signal?.addEventListener('abort', end)
  return () => {
    clearTimeout(timer)
    clearTimeout(kill)
    signal?.removeEventListener('abort', end)
    return timedOut
  }
}

function yieldToOthers(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    setPriority(pid, constantsOfOs.priority.PRIORITY_LOW)
  } catch {
    // It has ended already.
  }
}

export const exec: Exec = async (file, args, options = {}) => {
  const { group = false } = options
  const child = execa(file, args, {
    reject: false,
    extendEnv: false,
    stripFinalNewline: false,
    env: { ...options.env },
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    ...(options.input === undefined ? { stdin: 'ignore' as const } : { input: options.input }),
    ...(group ? { detached: true } : {}),
    ...(group || options.timeout === undefined ? {} : { timeout: options.timeout }),
    ...(group || options.signal === undefined ? {} : { cancelSignal: options.signal }),
    ...(options.maxBuffer === undefined ? {} : { maxBuffer: options.maxBuffer }),
  })
  if (options.background === true) yieldToOthers(child.pid)
  const letGo = group ? limitGroup(child.pid, options) : () => false
  const result = await child
  const timedOut = letGo() || result.timedOut
  const started = result.exitCode !== undefined || result.signal !== undefined
  return {
    exitCode: result.exitCode ?? null,
    signal: result.signal ?? null,
    stdout: result.stdout ?? '',
    stderr: result.stderr ?? '',
    timedOut,
    startError: started
      ? null
      : ((result as { code?: string }).code ?? result.originalMessage ?? 'unknown'),
  }
}

/** A long-lived child with open pipes (tmux in control mode). The caller ends it. */
export function start(
  file: string,
  args: readonly string[],
  options: { cwd?: string; env: Readonly<Record<string, string>> },
): ChildProcessWithoutNullStreams {
  return spawn(file, args, {
    env: { ...options.env },
    stdio: 'pipe',
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  })
}

/**
 * A process in a session and process group of its own; it outlives this one. Its output goes to a
 * file descriptor. Listen for `error` (it did not start) and `exit`; end it by the group:
 * `sendSignal(-pid, …)`.
 */
export function startDetached(
  file: string,
  args: readonly string[],
  options: { cwd: string; env: Readonly<Record<string, string>>; output: number | 'ignore' },
): ChildProcess {
  const child = spawn(file, args, {
    env: { ...options.env },
    cwd: options.cwd,
    detached: true,
    stdio: ['ignore', options.output, options.output],
  })
  child.unref()
  return child
}

export interface OnPipes {
  readonly child: ChildProcess
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
}

/**
 * A process in a session and process group of its own, on pipes. Listen on `child` for `error` (it
 * did not start) and `exit`; end it by the group. They are pipes as a shell makes them: Node’s own
 * are sockets, which no program can open again as /dev/stdout or /dev/stderr.
 */
export function startOnPipes(
  file: string,
  args: readonly string[],
  options: { cwd: string; env: Readonly<Record<string, string>> },
): OnPipes {
  const pipes = makePipes(['in', 'out', 'err'])
  const [input, output, errors] = pipes as [Pipe, Pipe, Pipe]
  try {
    const child = spawn(file, args, {
      env: { ...options.env },
      cwd: options.cwd,
      detached: true,
      stdio: [input.read, output.write, errors.write],
    })
    for (const fd of [input.read, output.write, errors.write]) closeSync(fd)
    return {
      child,
      stdin: new Socket({ fd: input.write, readable: false, writable: true }),
      stdout: new Socket({ fd: output.read, readable: true, writable: false }),
      stderr: new Socket({ fd: errors.read, readable: true, writable: false }),
    }
  } catch (thrown) {
    for (const { read, write } of pipes) {
      closeSync(read)
      closeSync(write)
    }
    throw thrown
  }
}

interface Pipe {
  readonly read: number
  readonly write: number
}

/** Node can’t ask for a pipe, but it can open a named one at both ends and take the name away. */
function makePipes(names: readonly string[]): Pipe[] {
  const folder = makePipesFolder()
  const opened: number[] = []
  const pipes: Pipe[] = []
  try {
    const made = spawnSync('mkfifo', ['-m', '600', ...names.map((name) => join(folder, name))], {
      env: { PATH: '/usr/bin:/bin' },
    })
    if (made.status !== 0)
      throw new Error(
        `no pipes could be made in ${folder}: ${made.error?.message ?? made.stderr.toString().trim()}`,
      )
    for (const name of names) {
      const path = join(folder, name)
      // Opened for both, no end waits for the other. Our own ends don’t block, the program’s do.
      const both = openSync(path, constants.O_RDWR)
      try {
        const ours = name === 'in' ? constants.O_WRONLY : constants.O_RDONLY
        const read = openSync(
          path,
          ours === constants.O_RDONLY
            ? constants.O_RDONLY | constants.O_NONBLOCK
            : constants.O_RDONLY,
        )
        opened.push(read)
        const write = openSync(
          path,
          ours === constants.O_WRONLY
            ? constants.O_WRONLY | constants.O_NONBLOCK
            : constants.O_WRONLY,
        )
        opened.push(write)
        pipes.push({ read, write })
      } finally {
        closeSync(both)
      }
    }
    return pipes
  } catch (thrown) {
    for (const fd of opened) closeSync(fd)
    throw thrown
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Runs a program on this process’s own terminal, `input` in place of what is typed; returns its
 * exit code, null where a signal ended it, 127 where it did not start. `held`: its input is empty
 * and ends with this process, however that ends.
 */
export function runOnTerminal(
  [file = '', ...args]: readonly string[],
  options: {
    cwd: string
    env: Readonly<Record<string, string>>
    input?: string | undefined
    held?: boolean | undefined
  },
): Promise<number | null> {
  const { cwd, env, input, held = false } = options
  return new Promise((resolve) => {
    const child = spawn(file, args, {
      cwd,
      env: { ...env },
      stdio: [input === undefined && !held ? 'inherit' : 'pipe', 'inherit', 'inherit'],
    })
    // As a shell has it where there is no such program.
    child.once('error', () => resolve(127))
    child.once('exit', resolve)
    // A pager that is left early reads no further.
    child.stdin?.on('error', () => {})
    if (!held) child.stdin?.end(input)
  })
}
