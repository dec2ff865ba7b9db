import { existsSync } from 'node:fs'
import { chmod, mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import Database from 'better-sqlite3'
import { ExomonadError } from '../../../domain/errors.ts'
import type { SqliteConnection } from './connection.ts'

/**
 * Copies of the store, made by SQLite’s own online backup while it is in use: `store-<time>.db`,
 * the newest few; and `store-<time>-version-<number>.db`, from before its schema was changed: the
 * way back to an exomonad of before, which those of every ten minutes must not push out.
 */

const KEPT = 5
const KEPT_OF_BEFORE = 2
/** Of one that is being made, or that a kill cut off, and what SQLite keeps beside it. */
const DRAFT = /^store-.*\.db\.part/
const NAME = /^store-(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3})Z(?:-version-(\d+))?\.db$/

export interface Backup {
  readonly file: string
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly bytes: number
  /** Of one from before the schema was changed: the store’s version in it. */
  readonly version?: number
}

/**
 * Whole or not there; the oldest beyond five go, and what was cut off of one before. One at a time:
 * whoever makes it is the only one who has the store. Returns its path.
 */
export async function backUp(
  connection: SqliteConnection,
  folder: string,
  now: number,
  version?: number,
): Promise<string> {
  // Not the folders above it: a daemon whose repository was moved away would make one there again.
  await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  const left = (await readdir(folder)).filter((name) => DRAFT.test(name))
  await Promise.all(left.map((name) => rm(join(folder, name), { force: true })))
  const time = new Date(now).toISOString().replaceAll(/[:.]/g, '-')
  const file = join(folder, `store-${time}${version === undefined ? '' : `-version-${version}`}.db`)
  const draft = `${file}.part`
  await connection.backup(draft)
  await chmod(draft, 0o600)
  // Of a store that was damaged while in use: that must not push out what is sound.
  const health = await inspectCopy(draft)
  if (health.kind === 'damaged') {
    await rm(draft, { force: true })
    throw new ExomonadError(
      'STORE_CORRUPT',
      `The store is damaged (${health.reason}), and no backup was made of it.`,
    )
  }
  await rename(draft, file)
  const all = await listBackups(folder)
  const old = [
    ...all.filter((backup) => backup.version === undefined).slice(KEPT),
    ...all.filter((backup) => backup.version !== undefined).slice(KEPT_OF_BEFORE),
  ]
  await Promise.all(old.map((backup) => rm(backup.file, { force: true })))
  return file
}

/** The newest first. */
export async function listBackups(folder: string): Promise<Backup[]> {
  const names = await readdir(folder).catch(() => [])
  const found = await Promise.all(
    names.map(async (name): Promise<Backup[]> => {
      const [, time, version] = NAME.exec(name) ?? []
      const size =
        time === undefined ? undefined : await stat(join(folder, name)).catch(() => undefined)
      if (time === undefined || size === undefined) return []
      const [day = '', clock = ''] = time.split('T')
      const [hour, minute, second, fraction] = clock.split('-')
      return [
        {
          file: join(folder, name),
          at: Date.parse(`${day}T${hour}:${minute}:${second}.${fraction}Z`),
          bytes: size.size,
          ...(version === undefined ? {} : { version: Number(version) }),
        },
      ]
    }),
  )
  return found.flat().toSorted((one, other) => other.at - one.at)
}

/** What a file of a store is like, without a daemon and without changing it. */
export type StoreHealth =
  | { readonly kind: 'sound'; readonly agents: number; readonly live: number }
  | { readonly kind: 'missing' }
  /** There is nothing in it: no agent, not even a root. */
  | { readonly kind: 'empty' }
  | { readonly kind: 'damaged'; readonly reason: string }

export async function inspectStore(file: string): Promise<StoreHealth> {
  const found = await stat(file).catch(() => undefined)
  if (found === undefined) return { kind: 'missing' }
  if (found.size === 0) return { kind: 'empty' }
  let connection: SqliteConnection | undefined
  try {
    connection = new Database(file, { readonly: true, fileMustExist: true })
    const verdict = connection.pragma('quick_check(1)', { simple: true })
    if (verdict !== 'ok') return { kind: 'damaged', reason: String(verdict) }
    const tables = connection
      .prepare("select 1 from sqlite_master where type = 'table' and name = 'agents'")
      .all()
    if (tables.length === 0) return { kind: 'empty' }
    const count = connection.prepare(
      "select count(*) as agents, coalesce(sum(state not in ('completed', 'failed', 'killed') and kind <> 'root'), 0) as live from agents",
    )
    const { agents, live } = count.get() as { agents: number; live: number }
    return agents === 0 ? { kind: 'empty' } : { kind: 'sound', agents, live }
  } catch (thrown) {
    return { kind: 'damaged', reason: thrown instanceof Error ? thrown.message : String(thrown) }
  } finally {
    connection?.close()
  }
}

/** Of a file that nobody else has open: what SQLite puts beside it is taken away again. */
async function inspectCopy(file: string): Promise<StoreHealth> {
  const beside = ['-wal', '-shm'].map((ending) => file + ending).filter((path) => !existsSync(path))
  const health = await inspectStore(file)
  for (const path of beside) await rm(path, { force: true })
  return health
}

/**
 * Puts a backup in the place of the store, which is kept beside the backups; returns where, null
 * where there was none. No daemon may run.
 */
export async function restoreBackup(
  backup: string,
  database: string,
  folder: string,
  now: number,
): Promise<string | null> {
  // Before the store is touched: what can’t be used must not take its place.
  const health = await inspectCopy(backup)
  if (health.kind !== 'sound') {
    const why = {
      missing: 'it is not there',
      empty: 'there is nothing in it',
      damaged: health.kind === 'damaged' ? health.reason : '',
    }[health.kind]
    throw new ExomonadError(
      'INVALID_ARG',
      `${backup} can’t be restored: ${why}. \`exomonad store list\` shows the backups. Nothing was touched.`,
      {
        file: backup,
      },
    )
  }
  const draft = `${database}.restored`
  await rm(draft, { force: true, recursive: true })
  const connection = new Database(backup, { readonly: true, fileMustExist: true })
  try {
    await connection.backup(draft)
  } finally {
    connection.close()
  }
  await chmod(draft, 0o600)
  const kept = await setAside(database, folder, now)
  await rename(draft, database)
  return kept
}

/**
 * Moves the store away, with what SQLite keeps beside it; returns where it is, null where there was
 * none.
 */
export async function setAside(
  database: string,
  folder: string,
  now: number,
): Promise<string | null> {
  const size = (await stat(database).catch(() => undefined))?.size ?? 0
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const kept = join(folder, `lost-${now}-${basename(database)}`)
  for (const ending of ['', '-wal', '-shm']) {
    await rename(`${database}${ending}`, `${kept}${ending}`).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error
      },
    )
  }
  return size === 0 ? null : kept
}
