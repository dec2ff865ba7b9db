import { Kysely } from 'kysely'
import type { Log } from '../../../runtime/log.ts'
import { createChannels } from '../sql/channels.ts'
import { createSqlStore } from '../sql/sql-store.ts'
import type { Tables } from '../sql/tables.ts'
import type { Store } from '../store.ts'
import { backUp } from './backup.ts'
import { type SqliteConnection, openConnection } from './connection.ts'
import { createSqliteGate } from './dialect.ts'
import { sqliteDifferences } from './differences.ts'
import { damaged, storeFault } from './faults.ts'
import { migrate } from './migrate.ts'

export interface SqliteStoreOptions {
  /** Absolute path; made where it is missing. */
  readonly file: string
  readonly log: Log
  /** Milliseconds since the epoch; only for how long what is finished is kept. */
  readonly clock?: () => number
  /** Where a copy goes before the schema is changed; null or absent for none. */
  readonly backups?: string | null
  /** Milliseconds to wait for another process before STORE_BUSY. */
  readonly timeout?: number
}

/** It makes its own backups. */
export interface SqliteStore extends Store {
  readonly backUp: (folder: string) => Promise<string>
}

/**
 * The store in one SQLite file, for one process that writes; others may open it at the same time.
 * Throws STORE_TOO_NEW, STORE_BUSY, STORE_CORRUPT, DISK_FULL, NOT_AVAILABLE.
 */
export async function openSqliteStore({
  file,
  log,
  clock = Date.now,
  backups = null,
  timeout = 5000,
}: SqliteStoreOptions): Promise<SqliteStore> {
  let connection: SqliteConnection | undefined
  try {
    connection = await openConnection(file, timeout)
    // What is damaged in its middle opens, and fails later in the middle of something.
    const verdict: unknown = connection.pragma('quick_check(1)', { simple: true })
    if (verdict !== 'ok') throw damaged(file, String(verdict))
    return await createSqliteStore({ connection, file, log, clock, backups, timeout })
  } catch (thrown) {
    connection?.close()
    throw storeFault(thrown, file)
  }
}

/** The store on a connection that is open already. */
export async function createSqliteStore(
  options: Required<SqliteStoreOptions> & { connection: SqliteConnection },
): Promise<SqliteStore> {
  const { file, log, clock } = options
  const gate = createSqliteGate(options)
  const db = new Kysely<Tables>({ dialect: gate.dialect })
  const { connection, backups } = options
  await migrate({
    db,
    file,
    before: async (version) => {
      if (backups !== null) await backUp(connection, backups, clock(), version)
    },
    backups,
  })
  const store = await createSqlStore({
    db,
    differences: sqliteDifferences,
    channels: createChannels(log),
    onCommit: gate.onCommit,
    log,
    clock,
  })
  return {
    ...store,
    place: file,
    lookEvery: null,
    backUp: (folder) => backUp(options.connection, folder, clock()),
    close: gate.close,
  }
}
