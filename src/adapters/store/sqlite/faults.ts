import { setTimeout as delay } from 'node:timers/promises'
import { asExomonadError, ExomonadError } from '../../../domain/errors.ts'

/**
 * What better-sqlite3 or the file system threw, as the error people read: STORE_BUSY, DISK_FULL,
 * STORE_CORRUPT, NOT_AVAILABLE or INTERNAL.
 */
export function storeFault(thrown: unknown, file: string): ExomonadError {
  if (thrown instanceof ExomonadError) return thrown
  const code = codeOf(thrown)
  const facts = { file }
  if (isBusy(thrown)) {
    return new ExomonadError(
      'STORE_BUSY',
      `The store ${file} is locked by another process. Try again; \`exomonad ps\` shows the daemons.`,
      facts,
      {
        cause: thrown,
      },
    )
  }
  // The index of the write-ahead log cannot grow: SQLite reports that apart from SQLITE_FULL.
  if (code === 'SQLITE_FULL' || code === 'SQLITE_IOERR_SHMSIZE') {
    return new ExomonadError(
      'DISK_FULL',
      `The disk of the store ${file} is full; nothing was lost. Make room and try again.`,
      facts,
      { cause: thrown },
    )
  }
  if (code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB')
    return damaged(file, messageOf(thrown), thrown)
  if (/^(SQLITE_(CANTOPEN|READONLY|PERM)|EACCES|EROFS|EPERM|EISDIR|ENOTDIR)/.test(code)) {
    return new ExomonadError(
      'NOT_AVAILABLE',
      `The store ${file} cannot be opened for writing: ${messageOf(thrown)}. Check the file and the rights on its folder.`,
      facts,
      { cause: thrown },
    )
  }
  return asExomonadError(thrown)
}

export const damaged = (file: string, reason: string, cause?: unknown): ExomonadError =>
  new ExomonadError(
    'STORE_CORRUPT',
    `The store ${file} is damaged or not a store of exomonad (${reason}). Branches and worktrees are not affected: ` +
      '`exomonad store restore` brings the last backup back; `exomonad down --force` ends the terminals and begins anew.',
    { file },
    { cause },
  )

/**
 * Another process holds the lock that a statement needs: the statement did nothing and may be run
 * again.
 */
export function isBusy(thrown: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED)/.test(codeOf(thrown))
}

/**
 * Runs work again while the store is locked, for up to `timeout` milliseconds. SQLite's own
 * waiting would hold up the whole process. Only for work of which a failure leaves nothing behind:
 * opening, one statement, the begin of a transaction.
 */
export async function whileBusy<Result>(work: () => Result, timeout: number): Promise<Result> {
  const giveUpAt = performance.now() + timeout
  for (;;) {
    try {
      return work()
    } catch (thrown) {
      if (!isBusy(thrown) || performance.now() >= giveUpAt) throw thrown
    }
    await delay(RETRY_MILLISECONDS)
  }
}

const RETRY_MILLISECONDS = 10

function codeOf(thrown: unknown): string {
  const code: unknown = thrown instanceof Error && 'code' in thrown ? thrown.code : ''
  return typeof code === 'string' ? code : ''
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}
