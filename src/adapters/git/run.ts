import { dirname } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Exec, ExecResult } from '../../processes/exec.ts'
import { gitFailure, isFull, isLocked } from './failure.ts'
import { asArguments, gitVariables, NO_DIALOGS, SETTINGS } from './settings.ts'

const LOCAL_TIMEOUT = 120_000
const REMOTE_TIMEOUT = 180_000
/**
 * Waits between tries where another git (the user’s, an agent’s) holds a lock: about a second in
 * all.
 */
export const LOCK_WAITS = [10, 20, 40, 80, 160, 320, 500]

export interface RunOptions {
  /** The worktree it runs in; without, the command is about the repository as a whole. */
  readonly worktree?: string
  /** Name of the remote it talks to: failures to reach it are FORGE_UNAVAILABLE. */
  readonly remote?: string
  readonly settings?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
  /** Milliseconds. */
  readonly timeout?: number
  /** Takes no locks beyond what it must, so that it never disturbs an agent’s own git. */
  readonly reads?: boolean
  /** False: not tried again where another process holds a lock. */
  readonly waitsForLock?: boolean
}

/** Runs git on one repository. */
export interface Run {
  /** To its end, whatever that is; tried again while another process holds a lock. */
  readonly attempt: (args: readonly string[], options?: RunOptions) => Promise<ExecResult>
  /** Its output; throws what `gitFailure` makes of a failure. `doing` completes “could not …”. */
  readonly output: (doing: string, args: readonly string[], options?: RunOptions) => Promise<string>
  readonly failure: (doing: string, result: ExecResult, options?: RunOptions) => Error
  /** It failed for want of room, here or (where the words say so) at the remote. */
  readonly ranFull: (result: ExecResult) => boolean
}

/**
 * A worktree whose `.git` file was lost is no reason to work on the repository around it, which
 * agents’ worktrees lie in.
 */
const within = (worktree: string | undefined): Record<string, string> =>
  worktree === undefined ? {} : { GIT_CEILING_DIRECTORIES: dirname(worktree) }

export function createRun({
  commonDir,
  environment,
  exec,
  signal,
}: {
  commonDir: string
  environment: Readonly<Record<string, string>>
  exec: Exec
  /** Ends what talks to a remote. */
  signal?: AbortSignal | undefined
}): Run {
  const variables = { ...gitVariables(environment), ...NO_DIALOGS }
  const fixed = asArguments(SETTINGS)

  const once = (args: readonly string[], options: RunOptions): Promise<ExecResult> =>
    exec(
      'git',
      [
        '--no-pager',
        ...(options.worktree === undefined ? [`--git-dir=${commonDir}`] : []),
        ...fixed,
        ...asArguments(options.settings ?? []),
        ...args,
      ],
      {
        cwd: options.worktree ?? commonDir,
        env: {
          ...variables,
          ...within(options.worktree),
          ...(options.reads === true ? { GIT_OPTIONAL_LOCKS: '0' } : {}),
          ...options.env,
        },
        timeout: options.timeout ?? (options.remote === undefined ? LOCAL_TIMEOUT : REMOTE_TIMEOUT),
        // A transport that hangs outlives the git that started it.
        ...(options.remote === undefined
          ? {}
          : { group: true, ...(signal === undefined ? {} : { signal }) }),
        ...(options.input === undefined ? {} : { input: options.input }),
      },
    )

  const attempt: Run['attempt'] = async (args, options = {}) => {
    let result = await once(args, options)
    for (const wait of LOCK_WAITS) {
      if (options.waitsForLock === false || !isLocked(result)) return result
      await pause(wait)
      result = await once(args, options)
    }
    return result
  }

  const failure: Run['failure'] = (doing, result, options = {}) =>
    gitFailure(doing, result, {
      cwd: options.worktree ?? commonDir,
      ...(options.remote === undefined ? {} : { remote: options.remote }),
    })

  const output: Run['output'] = async (doing, args, options = {}) => {
    const result = await attempt(args, options)
    if (result.exitCode !== 0) throw failure(doing, result, options)
    return result.stdout
  }
  return { attempt, output, failure, ranFull: (result) => isFull(result, commonDir) }
}
