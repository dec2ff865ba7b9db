import { existsSync, statfsSync } from 'node:fs'
import { ExomonadError, type ErrorFacts } from '../../domain/errors.ts'
import type { ErrorCode } from '../../domain/error-codes.ts'
import type { ExecResult } from '../../processes/exec.ts'

/**
 * From the first word on, or in the middle of an exchange, where git names the request that failed
 * and not the remote.
 */
const UNREACHABLE =
  /does not appear to be a git repository|could not read from remote repository|unable to access|could not resolve host|no such remote|connection (refused|timed out|reset)|repository .* not found|remote end hung up|no such device or address|network is unreachable|rpc failed(?!; http 4)|returned error: 5\d\d|expected flush after|early eof|unexpected disconnect/i
/** It answers, and does not let us in. */
const DENIED =
  /authentication failed|could not read (username|password)|permission to \S+ denied|returned error: 40[13]|permission denied \((publickey|password)/i
const FULL = /no space left on device|disk quota exceeded/i
/** git does not always say why it could not write, of refs for instance. */
const UNWRITTEN =
  /(could ?n[o']t|can ?not|unable to|failed to) (write|create|update|lock|append|close|copy|open)|write error|unpacker error/i
/** With less than this a file system counts as full: a ref and its log need a block each. */
const ROOM = 16_384
/**
 * Another git is in the middle of something; the same command works right after. A worktree that is
 * just being added has a HEAD of zeros for a moment, over which the connectivity check of a fetch
 * stumbles (`bad object worktrees/…/HEAD`).
 */
const LOCKED =
  /unable to create '[^']*\.lock': file exists|could not lock config file [^:]*: file exists|failed to read .*commondir|bad object worktrees\//i

export const isLocked = (result: ExecResult): boolean =>
  result.exitCode !== 0 && LOCKED.test(result.stderr)

/** What git said, without the hints it adds. */
export function wordsOf(result: ExecResult): string {
  const lines = `${result.stderr}\n${result.stderr.trim() === '' ? result.stdout : ''}`
    .split('\n')
    .map((line) => line.trim())
  return lines.filter((line) => line !== '' && !line.startsWith('hint:')).join(' | ')
}

function hasNoRoom(folder: string): boolean {
  try {
    const { bavail, bsize, files, ffree } = statfsSync(folder)
    return bavail * bsize < ROOM || (files > 0 && ffree === 0)
  } catch {
    return false
  }
}

/** Whether a command failed for want of room, by its words or by the file system of `folder`. */
export const isFull = (
  result: Pick<ExecResult, 'startError' | 'stderr'>,
  folder: string,
): boolean =>
  result.startError === 'ENOSPC' ||
  FULL.test(result.stderr) ||
  (UNWRITTEN.test(result.stderr) && hasNoRoom(folder))

/**
 * The error of a command that failed: DISK_FULL, FORGE_DENIED and FORGE_UNAVAILABLE (for commands
 * that talk to a remote), DIRTY_WORKTREE, BRANCH_EXISTS, BRANCH_CHECKED_OUT (facts: `worktree`),
 * else GIT_FAILED with git’s own words.
 */
export function gitFailure(
  doing: string,
  result: ExecResult,
  options: { cwd: string; remote?: string },
): ExomonadError {
  const words = wordsOf(result)
  const { code, message, facts } = failureOf(doing, words, result, options)
  return new ExomonadError(code, message, { exit_code: result.exitCode, git: words, ...facts })
}

interface Failure {
  readonly code: ErrorCode
  readonly message: string
  readonly facts?: ErrorFacts
}

function failureOf(
  doing: string,
  words: string,
  result: ExecResult,
  { cwd, remote }: { cwd: string; remote?: string },
): Failure {
  const failed = (why: string, facts: ErrorFacts = {}): Failure => ({
    code: 'GIT_FAILED',
    message: `Could not ${doing}: ${why}`,
    facts,
  })
  if (isFull({ ...result, stderr: words }, cwd))
    return {
      code: 'DISK_FULL',
      message: `The disk is full: git could not ${doing} (${words}). Make room and try again; nothing was lost.`,
    }
  if (result.startError !== null)
    return existsSync(cwd)
      ? failed(`git did not start (${result.startError}). Is git installed and on PATH?`)
      : failed(`the folder ${cwd} is gone.`, { folder: cwd })
  const refused = remote === undefined ? undefined : remoteFailure(remote, words, result)
  if (refused !== undefined) return refused
  if (result.timedOut) return failed('git took too long and was ended.')
  const branch = branchFailure(words)
  if (branch !== undefined) return branch
  if (UNCOMMITTED.test(words))
    return {
      code: 'DIRTY_WORKTREE',
      message: `Could not ${doing}: ${cwd} has uncommitted changes. Commit them first.`,
    }
  if (result.exitCode === null) return failed(`was ended by ${result.signal}`)
  return failed(words === '' ? `exit ${result.exitCode}` : words)
}

function remoteFailure(
  remote: string,
  words: string,
  { timedOut }: Pick<ExecResult, 'timedOut'>,
): Failure | undefined {
  if (DENIED.test(words))
    return {
      code: 'FORGE_DENIED',
      message: `The remote "${remote}" does not let exomonad in: ${words}. \`exomonad doctor\` says what is missing; nothing was changed.`,
      facts: { remote },
    }
  if (!timedOut && !UNREACHABLE.test(words)) return undefined
  const why = timedOut ? 'it did not answer in time' : words
  return {
    code: 'FORGE_UNAVAILABLE',
    message: `The remote "${remote}" can’t be reached: ${why}. Check \`git remote -v\`; nothing was changed.`,
    facts: { remote },
  }
}

const UNCOMMITTED =
  /contains modified or untracked files|you have unstaged changes|index contains uncommitted changes/i

function branchFailure(words: string): Failure | undefined {
  const exists = /a branch named '(.+?)' already exists/.exec(words)
  if (exists)
    return {
      code: 'BRANCH_EXISTS',
      message: `The branch ${exists[1]} exists already. Take another name, or adopt it with --branch.`,
      facts: { branch: exists[1] },
    }
  const elsewhere = /'(.+?)' is already (?:checked out|used by worktree) at '(.+?)'/.exec(words)
  if (elsewhere)
    return {
      code: 'BRANCH_CHECKED_OUT',
      message: `The branch ${elsewhere[1]} is checked out at ${elsewhere[2]}. Free it there, or take another.`,
      facts: { branch: elsewhere[1], worktree: elsewhere[2] },
    }
  return undefined
}
