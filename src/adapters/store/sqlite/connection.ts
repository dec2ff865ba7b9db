import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { whileBusy } from './faults.ts'

export type SqliteConnection = Database.Database

/**
 * Opens the file, made 0600 where it is missing (its folder 0700), in write-ahead mode.
 * `synchronous = NORMAL`: what was committed survives the death of the process at any point; a
 * power cut can take back the last commits, never part of one.
 */
export async function openConnection(file: string, timeout: number): Promise<SqliteConnection> {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  // SQLite gives -wal and -shm the mode of the file itself.
  closeSync(openSync(file, 'a', 0o600))
  chmodSync(file, 0o600)
  const connection = new Database(file, { timeout: BLOCKING_MILLISECONDS })
  try {
    await whileBusy(() => connection.pragma('journal_mode = WAL'), timeout)
    connection.pragma('synchronous = NORMAL')
    connection.pragma('foreign_keys = ON')
    connection.pragma(`journal_size_limit = ${WAL_BYTES}`)
    return connection
  } catch (thrown) {
    connection.close()
    throw thrown
  }
}

/**
 * How long SQLite itself may hold up the process on a lock, before it is asked again from a timer.
 */
const BLOCKING_MILLISECONDS = 20

/** The write-ahead log is cut back to this size after a burst. */
const WAL_BYTES = 16 * 1024 * 1024
