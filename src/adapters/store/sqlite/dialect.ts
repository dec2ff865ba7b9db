import type { Statement } from 'better-sqlite3'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { ExomonadError } from '../../../domain/errors.ts'
import type { SqliteConnection } from './connection.ts'
import { storeFault, whileBusy } from './faults.ts'
import { createLock } from '../sql/lock.ts'

/**
 * Kysely on one SQLite connection, which every statement and every transaction waits for in the
 * order of asking.
 */
export interface SqliteGate {
  readonly dialect: Dialect
  /**
   * Runs with the commit of the transaction that is open now, before anybody else gets the
   * connection; never if it rolls back.
   */
  onCommit(callback: () => void): void
  /** Waits for what is running, then closes the file. */
  close(): Promise<void>
}

interface Lease extends DatabaseConnection {
  readonly release: () => void
}

/**
 * The states of the connection: free → leased (to one statement, or to a transaction from before
 * its begin until after its end) → free. A lease that ended refuses statements, so that a statement
 * nobody awaited can't slip into another's transaction.
 */
export function createSqliteGate(options: {
  connection: SqliteConnection
  file: string
  timeout: number
}): SqliteGate {
  const { connection, file, timeout } = options
  const lock = createLock()
  const statements = new Map<string, Statement>()
  let inTransaction = false
  let endedBy: ExomonadError | undefined
  let closed = false
  let committed: (() => void)[] = []

  function prepare(text: string): Statement {
    const known = statements.get(text)
    if (known !== undefined) return known
    const [oldest] = statements.keys()
    if (statements.size >= STATEMENTS_KEPT && oldest !== undefined) statements.delete(oldest)
    const statement = connection.prepare(text)
    statements.set(text, statement)
    return statement
  }

  /**
   * A full disk makes SQLite roll back by itself: what follows must not then be written statement
   * by statement.
   */
  function requireStanding(): void {
    if (!inTransaction || connection.inTransaction) return
    throw (
      endedBy ??
      new ExomonadError(
        'INTERNAL',
        'The transaction was ended by SQLite: nothing more can be written in it.',
        { file },
      )
    )
  }

  function run<Row>({ sql, parameters }: CompiledQuery): QueryResult<Row> {
    requireStanding()
    const statement = prepare(sql)
    if (statement.reader) return { rows: statement.all(...parameters) as Row[] }
    const { changes, lastInsertRowid } = statement.run(...parameters)
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
  }

  async function attempt<Result>(work: () => Result): Promise<Result> {
    try {
      return await whileBusy(work, timeout)
    } catch (thrown) {
      const fault = storeFault(thrown, file)
      if (inTransaction && !connection.inTransaction) endedBy ??= fault
      throw fault
    }
  }

  function lease(free: () => void): Lease {
    let held = true
    return {
      executeQuery: (query) => {
        if (held) return attempt(() => run(query))
        return Promise.reject(
          new ExomonadError(
            'INTERNAL',
            'A statement came after the end of its transaction: it was not awaited.',
            { sql: query.sql },
          ),
        )
      },
      streamQuery: () => {
        throw new ExomonadError(
          'INTERNAL',
          'The store does not stream rows: it would hold up all others.',
        )
      },
      release: () => {
        held = false
        free()
      },
    }
  }

  const driver: Driver = {
    init: async () => {},
    acquireConnection: async () => {
      const free = await lock.acquire()
      if (!closed) return lease(free)
      free()
      throw new ExomonadError(
        'NOT_AVAILABLE',
        'The store is closed: the daemon is stopping. Try again when it runs.',
        { file },
      )
    },
    releaseConnection: async (held) => (held as Lease).release(),
    beginTransaction: async () => {
      // Immediate: a transaction that reads first and writes later would fail where another process
      // wrote in between.
      await attempt(() => connection.exec('begin immediate'))
      inTransaction = true
      endedBy = undefined
      committed = []
    },
    commitTransaction: async () => {
      requireStanding()
      await attempt(() => connection.exec('commit'))
      inTransaction = false
      for (const callback of committed.splice(0)) callback()
    },
    rollbackTransaction: async () => {
      inTransaction = false
      committed = []
      if (connection.inTransaction) await attempt(() => connection.exec('rollback'))
    },
    destroy: async () => {},
  }

  return {
    dialect: {
      createDriver: () => driver,
      createAdapter,
      createQueryCompiler: () => new SqliteQueryCompiler(),
      createIntrospector: (db) => new SqliteIntrospector(db),
    },
    onCommit: (callback) => {
      committed.push(callback)
    },
    close: async () => {
      const free = await lock.acquire()
      closed = true
      statements.clear()
      connection.close()
      free()
    },
  }
}

/** Prepared statements kept; more only where texts are built from many combinations of columns. */
const STATEMENTS_KEPT = 200

/**
 * SQLite can undo changes of the schema: a migration is one transaction. Queueing is the gate's,
 * which is fair; Kysely's own is not.
 */
function createAdapter(): SqliteAdapter {
  return Object.defineProperties(new SqliteAdapter(), {
    supportsTransactionalDdl: { value: true },
    supportsMultipleConnections: { value: true },
  })
}
