import { spawn, type ChildProcess, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import { execa } from 'execa'
import { sendSignal } from '../../packages/subagents/src/processes/signal.ts'

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
    setPriority(pid, constants.priority.PRIORITY_LOW)
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
