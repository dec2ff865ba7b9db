import { setTimeout as delay } from 'node:timers/promises'
import { asExomonadError, ExomonadError } from '../../../domain/errors.ts'
import { type Holder, isHeld, readHolder } from './claim.ts'
import { postgresFault } from './faults.ts'
import { requireNotifications } from './listening.ts'
import { MIGRATIONS } from './migrate.ts'
import type { PostgresStoreOptions } from './open.ts'
import { openSession, quoted, type Session } from './session.ts'

type Place = Pick<PostgresStoreOptions, 'target' | 'schema' | 'tree'>

/** What there is to know of a store on a server, without taking it. */
export interface PostgresStatus {
  readonly place: string
  readonly server: string
  /** Of the store; 0 where its tables are not there. */
  readonly version: number
  readonly knownVersion: number
  readonly bytes: number
  readonly agents: number
  readonly live: number
  /** The daemon that has it now. */
  readonly holder: Holder | null
  /** Whose tree it is; null for nobody’s yet. */
  readonly tree: { readonly id: string; readonly home: string; readonly host: string } | null
  readonly own: boolean
  /** What the server’s clock is ahead of this machine’s. Milliseconds. */
  readonly clockAhead: number
  readonly connections: { readonly used: number; readonly most: number }
}

/** Throws STORE_UNAVAILABLE where it can’t be looked at. */
export const inspectPostgres = (place: Place): Promise<PostgresStatus> => withSession(place, look)

async function withSession<Result>(
  place: Place,
  work: (session: Session, place: Place, name: string) => Promise<Result>,
): Promise<Result> {
  const name = `schema ${place.schema} in ${place.target.shown}`
  let session: Session | undefined
  try {
    session = await openSession(place.target, {
      name: 'exomonad store',
      idleInTransaction: 60_000,
    })
    await session.run(`set search_path to ${quoted(place.schema)}`)
    return await work(session, place, name)
  } catch (thrown) {
    throw postgresFault(thrown, name)
  } finally {
    await session?.end()
  }
}

async function look(session: Session, place: Place, name: string): Promise<PostgresStatus> {
  const one = async <Row extends object>(
    text: string,
    values?: readonly unknown[],
  ): Promise<Row> => {
    const [row] = (await session.run<Row>(text, values)).rows
    if (row === undefined) throw new Error(`no row: ${text}`)
    return row
  }
  const before = Date.now()
  const server = await one<{
    version: string
    now: number
    used: number
    most: number
    bytes: number
  }>(
    `select current_setting('server_version') as version,
      (extract(epoch from clock_timestamp()) * 1000)::bigint as now,
      (select count(*) from pg_stat_activity where backend_type = 'client backend') as used,
      current_setting('max_connections')::int as most,
      (select coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint from pg_class c
        join pg_namespace n on n.oid = c.relnamespace where n.nspname = $1 and c.relkind = 'r') as bytes`,
    [place.schema],
  )
  const middle = (before + Date.now()) / 2
  const { there } = await one<{ there: boolean }>(
    "select to_regclass('agents') is not null and to_regclass('kysely_migration') is not null as there",
  )
  const facts = {
    ...{ place: name, server: server.version, bytes: server.bytes, knownVersion: newest() },
    clockAhead: Math.round(server.now - middle),
    connections: { used: server.used, most: server.most },
  }
  if (!there)
    return { ...facts, version: 0, agents: 0, live: 0, holder: null, tree: null, own: true }
  const counts = await one<{ agents: number; live: number }>(
    "select count(*) as agents, count(*) filter (where state not in ('completed', 'failed', 'killed') and kind <> 'root') as live from agents",
  )
  const latest = await one<{ name: string | null }>(
    'select max(name) as name from kysely_migration',
  )
  const [tree = null] = (
    await session.run<{ id: string; home: string; host: string }>('select id, home, host from tree')
  ).rows
  const holder = (await isHeld(session, place.schema)) ? await readHolder(session) : undefined
  return {
    ...facts,
    ...counts,
    version: Number.parseInt(latest.name ?? '0', 10),
    holder: holder ?? null,
    tree,
    own: tree === null || tree.id === place.tree.id,
  }
}

const newest = (): number =>
  Math.max(...Object.keys(MIGRATIONS).map((name) => Number.parseInt(name, 10)))

/** One thing that a store needs, and how it is. */
export interface StoreCheck {
  readonly what: string
  readonly ok: boolean
  readonly found: string
}

/** All that a daemon would need of it; what can’t be looked at is a check that failed. */
export async function checkPostgres(place: Place): Promise<StoreCheck[]> {
  let status: PostgresStatus
  try {
    status = await inspectPostgres(place)
  } catch (thrown) {
    return [{ what: 'connection', ok: false, found: asExomonadError(thrown).message }]
  }
  const heard = await notificationsOf(place)
  const rows = await rowsOf(place)
  const minutes = Math.round(Math.abs(status.clockAhead) / 60_000)
  return [
    {
      what: 'connection',
      ok: true,
      found: `PostgreSQL ${status.server}, ${status.connections.used} of ${status.connections.most} connections in use`,
    },
    heard,
    {
      what: 'schema',
      ok: status.version <= status.knownVersion,
      found:
        status.version === 0
          ? 'empty; the daemon makes its tables'
          : `version ${status.version}; this exomonad knows ${status.knownVersion}`,
    },
    {
      what: 'tree',
      ok: status.own,
      found:
        status.tree === null
          ? 'nobody’s yet'
          : status.own
            ? 'this repository’s'
            : `that of ${status.tree.home} on ${status.tree.host}`,
    },
    rows,
    {
      what: 'clock',
      // Times that are stored are all this machine’s.
      ok: true,
      found:
        minutes === 0
          ? 'that of the server is the same'
          : `that of the server is ${minutes} minutes ${status.clockAhead > 0 ? 'ahead' : 'behind'}, which changes nothing`,
    },
  ]
}

async function notificationsOf(place: Place): Promise<StoreCheck> {
  try {
    await withSession(place, (from) =>
      withSession(place, (to, _place, name) => requireNotifications([from, to], name)),
    )
    return { what: 'notifications', ok: true, found: 'LISTEN and NOTIFY get through' }
  } catch (thrown) {
    return { what: 'notifications', ok: false, found: asExomonadError(thrown).message }
  }
}

/** Reads every row there is. */
async function rowsOf(place: Place): Promise<StoreCheck> {
  try {
    const found = await withSession(place, async (session) => {
      const { rows: tables } = await session.run<{ name: string }>(
        'select tablename as name from pg_tables where schemaname = $1 order by 1',
        [place.schema],
      )
      let rows = 0
      for (const { name } of tables) {
        const counted = await session.run<{ rows: number }>(
          `select count(*) as rows, sum(length(t::text)) as read from ${quoted(name)} t`,
        )
        rows += counted.rows[0]?.rows ?? 0
      }
      return `${rows} in ${tables.length} tables can be read`
    })
    return { what: 'rows', ok: true, found }
  } catch (thrown) {
    return { what: 'rows', ok: false, found: asExomonadError(thrown).message }
  }
}

/**
 * Gives the schema another name, so that the next start begins anew; returns it, null where there was
 * none. Throws STORE_BUSY where a daemon has it.
 */
export const setAsidePostgres = (place: Place, now: number): Promise<string | null> =>
  withSession(place, async (session, { schema }, name) => {
    const { rows } = await session.run<{ there: boolean }>(
      'select exists (select from pg_namespace where nspname = $1) as there',
      [schema],
    )
    if (rows[0]?.there !== true) return null
    // A daemon that was just killed lets go in a moment.
    for (let tries = 0; await isHeld(session, schema); tries++) {
      if (tries === 40)
        throw new ExomonadError(
          'STORE_BUSY',
          `A daemon has the store (${name}). Nothing was touched.`,
        )
      await delay(50)
    }
    const kept = `${schema.slice(0, 40)}_lost_${now}`
    await session.run(`alter schema ${quoted(schema)} rename to ${quoted(kept)}`)
    return kept
  })

/** With all that is in it; fine where there is none. */
export async function dropSchema(target: Place['target'], schema: string): Promise<void> {
  const tree = { id: '', home: '', host: '', pid: 0 }
  await withSession({ target, schema, tree }, (session) =>
    session.run(`drop schema if exists ${quoted(schema)} cascade`),
  )
}
