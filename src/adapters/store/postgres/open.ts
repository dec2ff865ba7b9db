import { randomBytes } from 'node:crypto'
import { Kysely } from 'kysely'
import type { Log } from '../../../runtime/log.ts'
import { createSqlStore } from '../sql/sql-store.ts'
import type { Tables } from '../sql/tables.ts'
import type { Store } from '../store.ts'
import { claim, endFormer, sign, type Tree } from './claim.ts'
import { createCommits } from './commits.ts'
import type { Target } from './conninfo.ts'
import { createPostgresGate } from './dialect.ts'
import { postgresDifferences } from './differences.ts'
import { postgresFault } from './faults.ts'
import { createLink, type Link } from './link.ts'
import { createListening, requireNotifications } from './listening.ts'
import { migrate, MIGRATIONS } from './migrate.ts'
import { openSession, type Session } from './session.ts'

export interface PostgresStoreOptions {
  readonly target: Target
  /** Made where it is not there; one for each tree. */
  readonly schema: string
  readonly tree: Tree
  readonly log: Log
  /** Milliseconds since the epoch; only for how long what is finished is kept. */
  readonly clock?: () => number
  readonly migrations?: typeof MIGRATIONS
  /** How often whoever waits looks without being woken. Milliseconds. */
  readonly lookEvery?: number
  /**
   * After how long the server ends a transaction that stands still: a daemon that hangs in one must
   * not hold up who comes after it. Milliseconds.
   */
  readonly idleInTransaction?: number
}

/** How often the listening connection is asked whether it is still there. Milliseconds. */
const PULSE_EVERY = 15_000

/**
 * The store in one schema of a PostgreSQL database, over two connections: one that does everything
 * and holds the lock of the tree, and one that listens. Both are opened anew where they are lost;
 * meanwhile every verb throws STORE_UNAVAILABLE. Throws that, STORE_BUSY, STORE_TOO_NEW and
 * STORE_LOST.
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const { target, schema, tree, log, clock = Date.now, migrations = MIGRATIONS } = options
  const { lookEvery = 5000, idleInTransaction = 60_000 } = options
  const place = `schema ${schema} in ${target.shown}`
  const name = `exomonad ${randomBytes(6).toString('hex')}`
  const as = {
    work: { name, idleInTransaction },
    listen: { name: `${name} listens`, idleInTransaction },
  }
  const commits = createCommits(name, place, log)
  const listening = createListening(log)
  const opened: Session[] = []
  const links: Link[] = []
  const ready = async (session: Session, prepare: () => Promise<void>): Promise<Session> => {
    try {
      await prepare()
      return session
    } catch (thrown) {
      await session.end()
      throw thrown
    }
  }

  try {
    const work = await openSession(target, as.work)
    opened.push(work)
    const listens = await openSession(target, as.listen)
    opened.push(listens)
    await requireNotifications([work, listens], place)
    await claim(work, { schema, place })
    const link = createLink({
      first: work,
      connect: async () => {
        const session = await openSession(target, as.work)
        return ready(session, async () => {
          await endFormer(session, as.work.name)
          await claim(session, { schema, place })
          await commits.prepare(session)
          await sign(session, tree, { schema, place })
          await commits.ask(session)
        })
      },
      ...{ place, log },
    })
    links.push(link)
    const listenLink = createLink({
      first: listens,
      connect: async () => {
        const session = await openSession(target, as.listen)
        return ready(session, () => listening.attach(session))
      },
      ...{ place, log },
    })
    links.push(listenLink)
    const gate = createPostgresGate({ link, commits, listening: listening.pending, place })
    const db = new Kysely<Tables>({ dialect: gate.dialect })
    await migrate(db, schema, place, migrations)
    await sign(work, tree, { schema, place })
    await commits.prepare(work)
    await listening.attach(listens)
    listening.begin(listenLink)
    const store = await createSqlStore({
      ...{ db, log, clock },
      differences: postgresDifferences,
      channels: listening,
      onCommit: gate.onCommit,
    })
    // A peer that vanished without a word shows only to who says something.
    const pulse = setInterval(() => {
      void listenLink
        .peek()
        ?.run('select 1')
        .catch(() => {})
    }, PULSE_EVERY).unref()
    return {
      ...store,
      place,
      lookEvery,
      backUp: null,
      close: async () => {
        clearInterval(pulse)
        commits.abandon()
        await gate.close()
        await listenLink.close()
      },
    }
  } catch (thrown) {
    for (const link of links) await link.close()
    for (const session of opened) await session.end()
    throw postgresFault(thrown, place)
  }
}
