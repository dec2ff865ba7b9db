import Database from 'better-sqlite3'
import type { Log } from '../../runtime/log.ts'
import { COUNTED, TABLES, type Row } from './move.ts'
import { postgresFault } from './postgres/faults.ts'
import type { PostgresStoreOptions } from './postgres/open.ts'
import { openSession, quoted } from './postgres/session.ts'
import { openSqliteStore } from './sqlite/open.ts'

const AT_ONCE = 500

/**
 * Copies all that a schema has into a SQLite store, which is made at this path, as it was in one
 * instant: the daemon that has it goes on. Throws STORE_UNAVAILABLE where it can’t be read.
 */
export async function copyToSqlite(options: {
  file: string
  place: Pick<PostgresStoreOptions, 'target' | 'schema'>
  log: Log
}): Promise<void> {
  const { file, place, log } = options
  await (await openSqliteStore({ file, log })).close()
  const database = new Database(file, { fileMustExist: true })
  try {
    const session = await openSession(place.target, {
      name: 'exomonad backup',
      idleInTransaction: 600_000,
    })
    try {
      await session.run(`set search_path to ${quoted(place.schema)}`)
      await session.run('begin isolation level repeatable read, read only')
      database.pragma('foreign_keys = off')
      for (const table of TABLES) {
        const columns = database.prepare('select name from pragma_table_info(?)').all(table) as {
          name: string
        }[]
        const list = columns.map(({ name }) => quoted(name)).join(', ')
        const insert = database.prepare(
          `insert into ${quoted(table)} (${list}) values (${columns.map(() => '?').join(', ')})`,
        )
        const write = database.transaction((rows: readonly Row[]) => {
          for (const row of rows) insert.run(...columns.map(({ name }) => row[name] ?? null))
        })
        await session.run(
          `declare copied no scroll cursor for select ${list} from ${quoted(table)}`,
        )
        for (;;) {
          const { rows } = await session.run<Row>(`fetch ${AT_ONCE} from copied`)
          write(rows)
          if (rows.length < AT_ONCE) break
        }
        await session.run('close copied')
      }
      // Numbers of what is gone are not given again.
      const forget = database.prepare('delete from sqlite_sequence where name = ?')
      const count = database.prepare('insert into sqlite_sequence (name, seq) values (?, ?)')
      for (const [table, column] of Object.entries(COUNTED)) {
        const { rows } = await session.run<{ last: number | null }>(
          'select pg_sequence_last_value(pg_get_serial_sequence($1, $2)::regclass) as last',
          [table, column],
        )
        forget.run(table)
        count.run(table, rows[0]?.last ?? 0)
      }
      await session.run('commit')
    } finally {
      await session.end()
    }
  } catch (thrown) {
    throw postgresFault(thrown, `schema ${place.schema}`)
  } finally {
    database.pragma('wal_checkpoint(truncate)')
    database.pragma('journal_mode = delete')
    database.close()
  }
}
