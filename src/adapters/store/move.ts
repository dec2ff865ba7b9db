import { createHash } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { ExomonadError } from '../../domain/errors.ts'
import type { Log } from '../../runtime/log.ts'
import { claim } from './postgres/claim.ts'
import { postgresFault } from './postgres/faults.ts'
import { openPostgresStore, type PostgresStoreOptions } from './postgres/open.ts'
import { openSession, quoted, type Session } from './postgres/session.ts'
import { openSqliteStore } from './sqlite/open.ts'

/** What was brought over of one table: the same number of rows, with the same hash of all of them. */
export interface MovedTable {
  readonly table: string
  readonly rows: number
  readonly hash: string
}

/** In an order in which nothing refers to what is not there yet. */
export const TABLES = [
  'agents',
  'events',
  'event_keys',
  'deliveries',
  'mail',
  'questions',
  'journal',
  'approvals',
  'deadlines',
  'snapshots',
  'pulls',
  'reviews',
  'review_comments',
  'checks',
  'scrollback',
  'runs',
  'usage_hours',
]
/** Counters that go on where they were. */
export const COUNTED = {
  ...{ agents: 'seq', events: 'seq', deliveries: 'seq', mail: 'seq', questions: 'seq' },
  ...{ journal: 'seq', approvals: 'seq', scrollback: 'seq' },
  ...{ reviews: 'id', review_comments: 'id', checks: 'id' },
}
const AT_ONCE = 500
/** Beginning of a folder's name. */
const COPY = 'moving-'

export type Row = Readonly<Record<string, string | number | null>>

/**
 * Brings all that a SQLite store has into a schema that has nothing yet, in one transaction, which is
 * only committed once counts and hashes of all rows on both sides are the same. The file is only read,
 * a copy of it brought up to date where it is of an older version. No daemon may run on it.
 * INVALID_ARG where there is something in the schema; else as openPostgresStore throws.
 */
export async function moveToPostgres(options: {
  file: string
  /** Where the copy lies meanwhile; a folder of it is taken away again. */
  state: string
  place: Pick<PostgresStoreOptions, 'target' | 'schema' | 'tree'>
  log: Log
}): Promise<MovedTable[]> {
  const { file, state, place, log } = options
  // Whoever moves is alone: what is there was left by a kill.
  for (const name of await readdir(state))
    if (name.startsWith(COPY)) await rm(join(state, name), { recursive: true, force: true })
  const folder = await mkdtemp(join(state, COPY))
  try {
    const copy = join(folder, 'store.db')
    const original = new Database(file, { readonly: true, fileMustExist: true })
    try {
      await original.backup(copy)
    } finally {
      original.close()
    }
    await (await openSqliteStore({ file: copy, log })).close()
    const source = new Database(copy, { readonly: true, fileMustExist: true })
    try {
      // Whatever is wrong with the server is said here, and the tables are there after it.
      const opened = await openPostgresStore({ ...place, log })
      await opened.close()
      return await copyAll(source, place, opened.place)
    } finally {
      source.close()
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function copyAll(
  source: Database.Database,
  { target, schema }: Pick<PostgresStoreOptions, 'target' | 'schema'>,
  place: string,
): Promise<MovedTable[]> {
  const session = await openSession(target, {
    name: 'exomonad store move',
    idleInTransaction: 600_000,
  })
  try {
    await claim(session, { schema, place })
    await session.run('begin')
    const moved: MovedTable[] = []
    for (const table of TABLES) moved.push(await copyTable(source, session, table, place))
    await setCounters(source, session)
    const { command } = await session.run('commit')
    if (command !== 'COMMIT')
      throw new ExomonadError('INTERNAL', `Nothing was moved: ${place} rolled it back.`)
    return moved
  } finally {
    await session.end()
  }
}

/**
 * Whether a schema has the very rows of a SQLite store of today's version, and no others. Throws
 * STORE_UNAVAILABLE where it can't be read.
 */
export async function holdsRowsOf(options: {
  file: string
  place: Pick<PostgresStoreOptions, 'target' | 'schema'>
}): Promise<boolean> {
  const { target, schema } = options.place
  const source = new Database(options.file, { readonly: true, fileMustExist: true })
  try {
    const session = await openSession(target, {
      name: 'exomonad store compare',
      idleInTransaction: 600_000,
    })
    try {
      await session.run(`set search_path to ${quoted(schema)}`)
      await session.run('begin isolation level repeatable read, read only')
      for (const table of TABLES) {
        const names = (await columnsOf(session, table)).map(({ name }) => name)
        const sum = createSum()
        for (const row of rowsOf(source, table, names)) sum.add(row, names)
        if (!sum.isSameAs(await sumOf(session, table, names))) return false
      }
      await session.run('commit')
      return true
    } finally {
      await session.end()
    }
  } catch (thrown) {
    throw postgresFault(thrown, `schema ${schema} in ${target.shown}`)
  } finally {
    source.close()
  }
}

async function columnsOf(session: Session, table: string): Promise<Column[]> {
  const { rows } = await session.run<Column>(
    'select column_name as name, data_type as type from information_schema.columns where table_schema = current_schema() and table_name = $1 order by column_name',
    [table],
  )
  return rows
}

const listOf = (names: readonly string[]): string => names.map(quoted).join(', ')

const rowsOf = (
  source: Database.Database,
  table: string,
  names: readonly string[],
): IterableIterator<Row> =>
  source.prepare(`select ${listOf(names)} from ${quoted(table)}`).iterate() as IterableIterator<Row>

/** Of all rows that the schema has of a table; within a transaction. */
async function sumOf(session: Session, table: string, names: readonly string[]): Promise<Sum> {
  const sum = createSum()
  await session.run(
    `declare summed no scroll cursor for select ${listOf(names)} from ${quoted(table)}`,
  )
  for (;;) {
    const { rows } = await session.run<Row>(`fetch ${AT_ONCE} from summed`)
    for (const row of rows) sum.add(row, names)
    if (rows.length < AT_ONCE) break
  }
  await session.run('close summed')
  return sum
}

async function copyTable(
  source: Database.Database,
  session: Session,
  table: string,
  place: string,
): Promise<MovedTable> {
  const columns = await columnsOf(session, table)
  const names = columns.map(({ name }) => name)
  const [{ count }] = (
    await session.run<{ count: number }>(`select count(*) as count from ${quoted(table)}`)
  ).rows as [{ count: number }]
  if (count > 0)
    throw new ExomonadError(
      'INVALID_ARG',
      `There is something in ${place} already (${count} rows of ${table}): nothing was moved. Name another schema in [store] schema, or take that one away where it is not needed.`,
    )
  const insert = `insert into ${quoted(table)} (${listOf(names)}) select * from unnest(${columns
    .map(({ type }, index) => `$${index + 1}::${type}[]`)
    .join(', ')})`
  const before = createSum()
  let batch: Row[] = []
  const flush = async (): Promise<void> => {
    const rows = batch
    batch = []
    if (rows.length > 0)
      await session.run(
        insert,
        names.map((name) => rows.map((row) => row[name] ?? null)),
      )
  }
  for (const row of rowsOf(source, table, names)) {
    before.add(row, names)
    batch.push(row)
    if (batch.length === AT_ONCE) await flush()
  }
  await flush()

  const after = await sumOf(session, table, names)
  const [rows, hash] = [before.rows(), before.hash()]
  if (!before.isSameAs(after))
    throw new ExomonadError(
      'INTERNAL',
      `Nothing was moved: ${table} has ${rows} rows in the file and ${after.rows()} in ${place}, or not the same ones.`,
      { table },
    )
  return { table, rows, hash }
}

async function setCounters(source: Database.Database, session: Session): Promise<void> {
  const last = source.prepare('select seq from sqlite_sequence where name = ?')
  for (const [table, column] of Object.entries(COUNTED)) {
    const found = last.get(table) as { seq: number } | undefined
    if (found !== undefined && found.seq > 0)
      await session.run('select setval(pg_get_serial_sequence($1, $2), $3)', [
        table,
        column,
        found.seq,
      ])
  }
}

interface Column {
  readonly name: string
  readonly type: string
}

/** Of rows in any order: their hashes, sorted, hashed. */
interface Sum {
  add(row: Row, names: readonly string[]): void
  rows(): number
  hash(): string
  isSameAs(other: Sum): boolean
}

function createSum(): Sum {
  const hashes: string[] = []
  const sum: Sum = {
    add: (row, names) => {
      const text = JSON.stringify(names.map((name) => row[name] ?? null))
      hashes.push(createHash('sha256').update(text).digest('base64'))
    },
    rows: () => hashes.length,
    hash: () => createHash('sha256').update(hashes.toSorted().join('\n')).digest('hex'),
    isSameAs: (other) => sum.rows() === other.rows() && sum.hash() === other.hash(),
  }
  return sum
}
