import { setTimeout as delay } from 'node:timers/promises'
import { ExomonadError } from '../../../domain/errors.ts'
import { codeOf, unavailable } from './faults.ts'
import { quoted, type Session } from './session.ts'

/** What makes a schema this tree's, and this daemon the one that has it. */
export interface Tree {
  /** Stays with the repository, wherever it is moved. */
  readonly id: string
  /** The worktree that holds `.exomonad`. */
  readonly home: string
  /** Name of this machine. */
  readonly host: string
  /** Of this process. */
  readonly pid: number
}

/** The oldest that can say what became of a commit, by the number of its transaction. */
const OLDEST_VERSION = 130_000
/** Milliseconds: the server may not have noticed yet that the daemon of before is gone. */
const PATIENCE = 2000

/**
 * Makes a connection ready for one schema, which it makes where it is not there, and takes the lock
 * of the tree in it, which lasts as long as the connection. Throws STORE_UNAVAILABLE where server or
 * role are not good for a store, STORE_BUSY where another daemon has it.
 */
export async function claim(
  session: Session,
  options: { schema: string; place: string; patience?: number },
): Promise<void> {
  const { schema, place, patience = PATIENCE } = options
  const [server] = (
    await session.run<{ version: number; encoding: string; standby: boolean; there: boolean }>(
      `select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding,
        pg_is_in_recovery() as standby, exists (select from pg_namespace where nspname = $1) as there`,
      [schema],
    )
  ).rows
  if (server === undefined) throw unavailable(place, 'it says nothing of itself')
  const refuse = (reason: string) => {
    throw unavailable(place, reason)
  }
  if (server.version < OLDEST_VERSION)
    refuse(`it is PostgreSQL ${Math.floor(server.version / 10_000)}; 13 or newer is needed`)
  if (server.standby) refuse('it is a standby, which takes no writes. Name the primary')
  if (server.encoding !== 'UTF8')
    refuse(
      `its encoding is ${server.encoding}, and texts need UTF8: make it with \`createdb --encoding UTF8 --template template0\``,
    )
  if (!server.there) await makeSchema(session, schema, place)
  await session.run(`set search_path to ${quoted(schema)}`)
  await takeLock(session, schema, place, patience)
}

async function makeSchema(session: Session, schema: string, place: string): Promise<void> {
  try {
    await session.run(`create schema ${quoted(schema)}`)
  } catch (thrown) {
    // Somebody else was quicker.
    if (codeOf(thrown) === '42P06' || codeOf(thrown) === '23505') return
    if (codeOf(thrown) !== '42501') throw thrown
    const { rows } = await session.run<{ role: string }>('select current_user as role')
    throw unavailable(
      place,
      `the role ${rows[0]?.role} may not make the schema ${schema}. Whoever owns the database can: create schema ${quoted(schema)} authorization ${quoted(rows[0]?.role ?? '')}`,
      thrown,
    )
  }
}

const LOCK = `hashtextextended('exomonad store ' || $1, 0)`

async function takeLock(
  session: Session,
  schema: string,
  place: string,
  patience: number,
): Promise<void> {
  const giveUpAt = performance.now() + patience
  for (;;) {
    const { rows } = await session.run<{ taken: boolean }>(
      `select pg_try_advisory_lock(${LOCK}) as taken`,
      [schema],
    )
    if (rows[0]?.taken === true) return
    if (performance.now() >= giveUpAt) break
    await delay(50)
  }
  const holder = await readHolder(session)
  throw new ExomonadError(
    'STORE_BUSY',
    `Another daemon has this store (${place}): ${holder === undefined ? 'it is just starting' : `that of ${holder.home} on ${holder.host}, process ${holder.pid}, for ${spanOf(holder.seconds)}`}. \`exomonad daemon stop\` there lets go of it; a tree of its own has a schema of its own, [store] schema.`,
    { ...holder },
  )
}

export interface Holder {
  readonly host: string
  readonly pid: number
  readonly home: string
  /** Since it has the store, by the server's clock. */
  readonly seconds: number
}

/** The daemon that has the schema of this connection, or had it last; undefined where none is known. */
export async function readHolder(session: Session): Promise<Holder | undefined> {
  try {
    const { rows } = await session.run<Holder>(
      'select host, pid, home, extract(epoch from clock_timestamp() - since)::bigint as seconds from holder',
    )
    return rows[0]
  } catch (thrown) {
    // Its tables are still to be made.
    if (codeOf(thrown) === '42P01') return undefined
    throw thrown
  }
}

/** Whether a daemon has the schema now. The connection has its search_path. */
export async function isHeld(session: Session, schema: string): Promise<boolean> {
  const { rows } = await session.run<{ held: boolean }>(
    `select exists (select from pg_locks where locktype = 'advisory' and granted and objsubid = 1
      and database = (select oid from pg_database where datname = current_database())
      and (classid::bigint << 32 | objid::bigint) = ${LOCK}) as held`,
    [schema],
  )
  return rows[0]?.held === true
}

/**
 * Notes that the schema is this tree's, and that this daemon has it. Throws STORE_LOST where it is
 * another repository's.
 */
export async function sign(
  session: Session,
  tree: Tree,
  { schema, place }: { schema: string; place: string },
): Promise<void> {
  const { id, home, host, pid } = tree
  const { rows } = await session.run<{ id: string; home: string; host: string }>(
    'select id, home, host from tree',
  )
  const [found] = rows
  if (found !== undefined && found.id !== id)
    throw new ExomonadError(
      'STORE_LOST',
      `The store (${place}) is the tree of another repository: ${found.home} on ${found.host}. Nothing was touched. Name another schema in [store] schema; or, where that tree is over, take it away: drop schema ${quoted(schema)} cascade`,
      { repository: found.home, host: found.host },
    )
  await session.run('begin')
  if (found === undefined)
    await session.run('insert into tree values ($1, $2, $3)', [id, home, host])
  else if (found.home !== home || found.host !== host)
    await session.run('update tree set home = $1, host = $2', [home, host])
  await session.run('delete from holder')
  await session.run('insert into holder values ($1, $2, $3, clock_timestamp())', [host, pid, home])
  await session.run('commit')
}

/**
 * Ends what the server still holds of a connection that was lost from here, and with it its lock.
 * `name` is that of no other daemon's.
 */
export async function endFormer(session: Session, name: string): Promise<void> {
  await session.run(
    'select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1 and usename = current_user and pid <> pg_backend_pid()',
    [name],
  )
}

function spanOf(seconds: number): string {
  if (seconds < 120) return `${seconds} seconds`
  if (seconds < 7200) return `${Math.floor(seconds / 60)} minutes`
  return seconds < 172_800
    ? `${Math.floor(seconds / 3600)} hours`
    : `${Math.floor(seconds / 86_400)} days`
}
