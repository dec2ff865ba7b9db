import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import process from 'node:process'
import Database from 'better-sqlite3'
import { ExomonadError } from '../../domain/errors.ts'
import { sendSignal } from '../../../packages/subagents/src/processes/signal.ts'

export interface InstanceLock {
  readonly kind: 'acquired'
  release(): void
}
/** `pid` is null where the holder has not said it yet. */
export interface InstanceHeld {
  readonly kind: 'held'
  readonly pid: number | null
}

/**
 * Two that try in the same instant are in each other’s way for a moment, and without waiting none
 * of them would have it. Milliseconds.
 */
const CONTENTION = 20

/** A lock whose handle is collected would be let go: these are not. */
const held = new Set<Database.Database>()

/**
 * One process at a time, on this file: an exclusive SQLite transaction that stays open. The kernel
 * ends it with the process, however that ends, so a kill -9 leaves nothing to clean up. The
 * holder’s pid stands in `<file>.pid`; it is a hint, the lock is the truth. Throws NOT_AVAILABLE
 * where the file can’t be locked at all.
 */
export function acquireInstanceLock(file: string): InstanceLock | InstanceHeld {
  const pidFile = `${file}.pid`
  let database: Database.Database | undefined
  try {
    database = new Database(file, { timeout: CONTENTION })
    database.exec('begin exclusive')
  } catch (error) {
    database?.close()
    const { code = '', message } = error as Error & { code?: string }
    if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED'))
      return { kind: 'held', pid: readPid(pidFile) }
    throw new ExomonadError(
      'NOT_AVAILABLE',
      `The lock ${file} cannot be taken: ${message}. Check its folder, or remove the file where no daemon runs.`,
      { file },
      { cause: error },
    )
  }
  const handle = database
  held.add(handle)
  writeFileSync(pidFile, `${process.pid}\n`, { mode: 0o600 })
  return {
    kind: 'acquired',
    release: () => {
      if (!held.delete(handle)) return
      rmSync(pidFile, { force: true })
      handle.close()
    },
  }
}

/** The pid in the file, where such a process lives. */
function readPid(pidFile: string): number | null {
  try {
    const pid = Number(readFileSync(pidFile, 'utf8'))
    if (!Number.isInteger(pid) || pid <= 0) return null
    return sendSignal(pid, 0) ? pid : null
  } catch {
    return null
  }
}
