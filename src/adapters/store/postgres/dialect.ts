import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely'
import { ExomonadError } from '../../../domain/errors.ts'
import { createLock } from '../sql/lock.ts'
import type { Commits } from './commits.ts'
import { isConnectionFault, postgresFault, unavailable } from './faults.ts'
import type { Link } from './link.ts'
import type { Session } from './session.ts'

/**
 * Kysely on one connection to PostgreSQL, which every statement and every transaction waits for in
 * the order of asking: exactly what the code of the daemon has with SQLite's one writer, and relies
 * on (a transaction reads, decides in code and writes; nobody else writes in between; callbacks run
 * in the order of commits). SERIALIZABLE would run work twice that has effects in memory, and
 * connections side by side would let what was asked later be done earlier.
 *
 * The connection that writes is the one that holds the lock of this tree (claim.ts): when it is lost,
 * so is the lock, and nothing can be written any more by a daemon that another one has followed.
 */
export interface PostgresGate {
  readonly dialect: Dialect
  /**
   * Runs with the commit of the transaction that is open now, before anybody else gets the
   * connection; never if it rolls back.
   */
  onCommit(callback: () => void): void
  /** Waits for what is running, then closes the connection. */
  close(): Promise<void>
}

/** Held by one statement, or by a transaction from before its begin until after its end. */
interface Lease extends DatabaseConnection {
  readonly session: Session
  /** Null outside of a transaction. */
  transaction: Transaction | null
  release(): void
}

interface Transaction {
  /** What it is known by (commits.ts), from its first change on. */
  id: string | null
  readonly committed: (() => void)[]
}

export function createPostgresGate(options: {
  link: Link
  commits: Commits
  /** Resolves once everybody who asked to be woken will be; undefined where all will already. */
  listening: () => Promise<void> | undefined
  place: string
}): PostgresGate {
  const { link, commits, listening, place } = options
  const lock = createLock()
  let current: Lease | undefined
  let closed = false

  const fault = (thrown: unknown): ExomonadError => postgresFault(thrown, place)

  /** What was sent behind something else, and whose own failure says nothing new. */
  const quietly = (sent: Promise<unknown>): void => void sent.catch(() => {})

  /**
   * Ends the transaction for good. It is marked by now where it changed anything, so that the
   * server can be asked for it where the answer does not come.
   */
  async function commit(session: Session, { id, committed }: Transaction): Promise<void> {
    const done = (): void => {
      for (const callback of committed.splice(0)) callback()
    }
    let command: string
    try {
      ;({ command } = await session.run('commit'))
    } catch (thrown) {
      if (!isConnectionFault(thrown) || id === null) throw fault(thrown)
      await session.end()
      current?.release()
      return commits.settle(id, done)
    }
    if (command === 'COMMIT') return done()
    // PostgreSQL ends what had an error before in that way, and calls it no error.
    throw new ExomonadError(
      'INTERNAL',
      'The transaction was rolled back by the server: something in it had failed.',
      { store: place },
    )
  }

  /** Sends a statement that may write, and what is to be known of it, all in one go. */
  async function write<Row>(
    session: Session,
    transaction: Transaction,
    query: CompiledQuery,
    [before, after]: readonly [string, string | null],
  ): Promise<QueryResult<Row>> {
    quietly(session.run(before))
    const sent = session.run<Row & object>(query.sql, query.parameters)
    quietly(sent)
    if (after !== null) quietly(session.run(after))
    const result = await sent
    if (transaction.id === null && (result.rowCount ?? 0) > 0)
      transaction.id = commits.mark(session)
    return resultOf(result)
  }

  async function run<Row>(lease: Lease, query: CompiledQuery): Promise<QueryResult<Row>> {
    const { session, transaction } = lease
    const isWrite = query.query.kind !== 'SelectQueryNode'
    if (!session.isUp()) throw unavailable(place, 'the connection was lost')
    if (!isWrite) return resultOf(await session.run<Row & object>(query.sql, query.parameters))
    if (transaction === null) {
      const own: Transaction = { id: null, committed: [] }
      try {
        const result = await write<Row>(session, own, query, ['begin', null])
        await commit(session, own)
        return result
      } catch (thrown) {
        if (session.isUp()) quietly(session.run('rollback'))
        throw thrown
      }
    }
    try {
      // An error would end the whole transaction, where SQLite’s ends the statement.
      return await write<Row>(session, transaction, query, [
        'savepoint statement',
        'release savepoint statement',
      ])
    } catch (thrown) {
      if (session.isUp()) await session.run('rollback to savepoint statement').catch(() => {})
      throw thrown
    }
  }

  function lease(session: Session, free: () => void): Lease {
    let held = true
    const own: Lease = {
      session,
      transaction: null,
      executeQuery: async (query) => {
        if (!held)
          throw new ExomonadError(
            'INTERNAL',
            'A statement came after the end of its transaction: it was not awaited.',
            { sql: query.sql },
          )
        try {
          return await run(own, query)
        } catch (thrown) {
          throw fault(thrown)
        }
      },
      streamQuery: () => {
        throw new ExomonadError(
          'INTERNAL',
          'The store does not stream rows: it would hold up all others.',
        )
      },
      release: () => {
        held = false
        if (current === own) current = undefined
        free()
      },
    }
    return own
  }

  const driver: Driver = {
    init: async () => {},
    acquireConnection: async () => {
      const free = await lock.acquire()
      try {
        if (closed)
          throw new ExomonadError(
            'NOT_AVAILABLE',
            'The store is closed: the daemon is stopping. Try again when it runs.',
            { store: place },
          )
        const session = await link.current()
        await listening()
        current = lease(session, free)
        return current
      } catch (thrown) {
        free()
        throw thrown
      }
    },
    releaseConnection: async (held) => (held as Lease).release(),
    beginTransaction: async (held) => {
      const own = held as Lease
      own.transaction = { id: null, committed: [] }
      // Not awaited: what comes next is sent behind it.
      quietly(own.session.run('begin'))
    },
    commitTransaction: async (held) => {
      const own = held as Lease
      const { transaction } = own
      own.transaction = null
      if (transaction === null || !own.session.isUp())
        throw unavailable(place, 'the connection was lost')
      await commit(own.session, transaction)
    },
    rollbackTransaction: async (held) => {
      const own = held as Lease
      own.transaction = null
      if (own.session.isUp()) quietly(own.session.run('rollback'))
    },
    destroy: async () => {},
  }

  return {
    dialect: {
      createDriver: () => driver,
      createAdapter: () => new PostgresAdapter(),
      createQueryCompiler: () => new PostgresQueryCompiler(),
      createIntrospector: (db) => new PostgresIntrospector(db),
    },
    onCommit: (callback) => {
      current?.transaction?.committed.push(callback)
    },
    close: async () => {
      const free = await lock.acquire()
      closed = true
      await link.close()
      free()
    },
  }
}

const resultOf = <Row>({
  command,
  rowCount,
  rows,
}: {
  command: string
  rowCount: number | null
  rows: unknown[]
}): QueryResult<Row> => ({
  rows: rows as Row[],
  ...(command === 'SELECT' ? {} : { numAffectedRows: BigInt(rowCount ?? 0) }),
})
