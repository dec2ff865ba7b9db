import { mkdir, open, rm, type FileHandle } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Sha } from '../../../domain/ids.ts'
import type { Log } from '../../../runtime/log.ts'
import { startDetached } from '../../../processes/exec.ts'
import { sendSignal } from '../../../../packages/subagents/src/processes/signal.ts'
import type { Git } from '../../git/git.ts'
import type { CheckStatus } from '../../../domain/forge-rows.ts'
import type { LocalForgeOptions } from './options.ts'

/** Milliseconds that a group which was asked to end has before it is killed. */
const GRACE = 2_000
/** Marks every process of a run, so that what a crash left of it is found. */
export const RUN_MARK = 'EXOMONAD_CI_RUN'

export interface CheckResult {
  readonly status: Extract<
    CheckStatus,
    'passed' | 'failed' | 'timed_out' | 'cancelled' | 'interrupted'
  >
  readonly exitCode: number | null
}
export interface CheckRun {
  readonly done: Promise<CheckResult>
  /** Ends the run’s process group. */
  readonly end: (reason: 'cancelled' | 'interrupted') => void
}

/** What a check may see: no folders, agents or configuration of the user’s. */
export function checkEnvironment(
  environment: Readonly<Record<string, string>>,
  folder: string,
): Record<string, string> {
  const kept = Object.entries(environment).filter(
    ([name]) => !/^(XDG_|SSH_|GIT_|EXOMONAD_)/.test(name),
  )
  return {
    ...Object.fromEntries(kept),
    HOME: join(folder, 'home'),
    CI: 'true',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    [RUN_MARK]: folder,
  }
}

/**
 * Runs a command on a checkout of one commit, in a folder that is gone afterwards. Output goes to
 * the log file. Passed is exit 0 and nothing else. Whatever the command started and left in its
 * process group is killed with it. Never rejects.
 */
export function startCheckRun(options: {
  git: Git
  argv: readonly string[]
  environment: Readonly<Record<string, string>>
  confine?: LocalForgeOptions['confine']
  hold?: () => ReturnType<NonNullable<LocalForgeOptions['hold']>>
  sha: Sha
  folder: string
  logPath: string
  timeoutMs: number
  maxLogBytes: number
  log: Log
}): CheckRun {
  const { git, folder, logPath, log } = options
  const worktree = join(folder, 'tree')
  type Ending = 'timed_out' | 'cancelled' | 'interrupted' | 'too_long'
  const state: { ending: Ending | null } = { ending: null }
  /** What ended it, if anything did by now. */
  const ending = (): Ending | null => state.ending
  let group: number | null = null
  let kill: NodeJS.Timeout | undefined

  const end = (reason: Ending): void => {
    state.ending ??= reason
    if (group === null || kill !== undefined) return
    const pid = group
    sendSignal(-pid, 'SIGTERM')
    kill = setTimeout(() => sendSignal(-pid, 'SIGKILL'), GRACE)
  }

  const runCommand = async (
    output: FileHandle,
  ): Promise<{ code: number | null; signal: string | null; startError?: string }> => {
    const given = { argv: options.argv, env: checkEnvironment(options.environment, folder) }
    const { argv, env } = (await options.confine?.({ ...given, folder, worktree })) ?? given
    const held = await options.hold?.()
    const [file = '', ...args] = [...(held?.argv ?? []), ...argv]
    const child = startDetached(file, args, { cwd: worktree, env, output: output.fd })
    group = child.pid ?? null
    const timer = setTimeout(() => end('timed_out'), Math.min(options.timeoutMs, 2 ** 31 - 1))
    const watch = setInterval(() => {
      void output.stat().then(
        ({ size }) => (size > options.maxLogBytes ? end('too_long') : undefined),
        () => undefined,
      )
    }, 1_000)
    if (state.ending !== null) end(state.ending)
    try {
      return await new Promise((resolve) => {
        child.once('error', (error) =>
          resolve({ code: null, signal: null, startError: error.message }),
        )
        child.once('exit', (code, signal) => resolve({ code, signal }))
      })
    } finally {
      clearTimeout(timer)
      clearInterval(watch)
      clearTimeout(kill)
      if (group !== null) sendSignal(-group, 'SIGKILL')
      const met = await held?.ended()
      if (met != null) await output.write(`\n[exomonad] ${met}\n`)
    }
  }

  const attempt = async (output: FileHandle): Promise<CheckResult> => {
    const say = (words: string) => output.write(`\n[exomonad] ${words}\n`)
    await mkdir(join(folder, 'home'), { recursive: true })
    await git.addDetachedWorktree(worktree, options.sha)
    if (state.ending !== null)
      return { status: state.ending === 'cancelled' ? 'cancelled' : 'interrupted', exitCode: null }
    const { code, signal, startError } = await runCommand(output)
    const reason = ending()
    switch (reason) {
      case 'timed_out':
        await say(
          `ended after ${Math.round(options.timeoutMs / 100) / 10} s: the time is up (forge.local.ci_timeout)`,
        )
        return { status: 'timed_out', exitCode: code }
      case 'too_long':
        await say('ended: it wrote more than all logs together may hold (retention.ci_logs_mb)')
        return { status: 'failed', exitCode: code }
      case 'cancelled':
      case 'interrupted':
        await say(reason)
        return { status: reason, exitCode: code }
      case null:
        if (startError !== undefined) await say(`could not be started: ${startError}`)
        else if (signal !== null) await say(`ended by ${signal}`)
        return { status: code === 0 ? 'passed' : 'failed', exitCode: code }
    }
  }

  const run = async (): Promise<CheckResult> => {
    let output: FileHandle | undefined
    try {
      await mkdir(dirname(logPath), { recursive: true })
      output = await open(logPath, 'a', 0o600)
      return await attempt(output)
    } catch (error) {
      log.error({ err: error, logPath }, 'a check could not be run')
      const words = error instanceof Error ? error.message : String(error)
      await output?.write(`\n[exomonad] could not be run: ${words}\n`).catch(() => undefined)
      return {
        status:
          state.ending === 'cancelled' || state.ending === 'interrupted' ? state.ending : 'failed',
        exitCode: null,
      }
    } finally {
      await output?.close().catch(() => undefined)
      await removeRunFolder(git, folder, log)
    }
  }

  return { done: run(), end }
}

/** Takes a run’s worktree and folder away. What can’t be removed now is at the next start. */
export async function removeRunFolder(git: Git, folder: string, log: Log): Promise<void> {
  try {
    await git.removeWorktree(join(folder, 'tree'), { force: true })
  } catch (error) {
    log.warn({ err: error, folder }, 'the worktree of a check could not be removed')
  }
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }).catch(
    (error: unknown) =>
      log.warn({ err: error, folder }, 'the folder of a check could not be removed'),
  )
}
