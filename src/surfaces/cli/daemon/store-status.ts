import { stat } from 'node:fs/promises'
import type { PostgresStatus, StoreCheck } from '../../../adapters/store/postgres/inspect.ts'
import type { Paths } from '../../../runtime/paths.ts'
import type { CliContext } from '../context.ts'
import { readHealth } from './health.ts'
import { storeConfig } from './store-config.ts'
import { shortDuration } from '../../text/duration.ts'
import { plural } from '../../text/quantity.ts'
import type { Palette } from '../../text/palette.ts'
import { renderFacts } from '../../text/table.ts'

export type StoreStatus =
  | {
      readonly kind: 'sqlite'
      readonly place: string
      readonly bytes: number
      /** Of a daemon that runs on it; null where none does. */
      readonly daemon: number | null
      /** Null where a daemon runs on it, which knows better. */
      readonly state: string | null
    }
  | ({ readonly kind: 'postgres'; readonly daemon: number | null } & PostgresStatus)

/** STORE_UNAVAILABLE where a server can’t be asked. */
export async function readStatus(
  context: CliContext,
  paths: Paths,
  socket: string,
): Promise<StoreStatus> {
  const store = await storeConfig(context, paths)
  const daemon = (await readHealth(socket))?.pid ?? null
  if (store.kind === 'postgres')
    return { kind: 'postgres', daemon, ...(await context.host.store.postgres.status(paths, store)) }
  const sizes = await Promise.all(
    [paths.database, `${paths.database}-wal`].map((path) =>
      stat(path).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  )
  const state = daemon === null ? (await sqliteCheck(context, paths)).found : null
  const bytes = sizes.reduce((sum, size) => sum + size, 0)
  return { kind: 'sqlite', place: paths.database, bytes, daemon, state }
}

/** Each thing that is needed, and how it is. */
export async function checkStore(context: CliContext, paths: Paths): Promise<StoreCheck[]> {
  const store = await storeConfig(context, paths)
  return store.kind === 'postgres'
    ? context.host.store.postgres.check(paths, store)
    : [await sqliteCheck(context, paths)]
}

async function sqliteCheck(context: CliContext, paths: Paths): Promise<StoreCheck> {
  const health = await context.host.store.inspect(paths, { kind: 'sqlite' })
  switch (health.kind) {
    case 'sound':
      return {
        what: 'file',
        ok: true,
        found: `sound, with ${plural(health.agents, 'agent')}, ${health.live} of them live`,
      }
    case 'missing':
      return { what: 'file', ok: false, found: `${paths.database} is not there` }
    case 'empty':
      return { what: 'file', ok: false, found: 'there is nothing in it' }
    case 'damaged':
      return { what: 'file', ok: false, found: `damaged: ${health.reason}` }
  }
}

export function statusLines(status: StoreStatus, palette: Palette): string[] {
  const size = `${(status.bytes / 1e6).toFixed(1)} MB`
  const daemon = status.daemon === null ? 'none runs here' : `process ${status.daemon}`
  if (status.kind === 'sqlite')
    return renderFacts(
      [
        ['store', `SQLite, ${status.place}`],
        ['size', size],
        ...(status.state === null ? [] : [['state', status.state] as const]),
        ['daemon', daemon],
      ],
      palette,
    )
  const { holder, tree } = status
  return renderFacts(
    [
      ['store', `PostgreSQL ${status.server}, ${status.place}`],
      ['size', size],
      [
        'agents',
        `${status.agents}, ${status.live} of them live (version ${status.version} of the tables; this exomonad knows ${status.knownVersion})`,
      ],
      [
        'tree',
        tree === null
          ? 'nobody’s yet'
          : status.own
            ? `this repository’s`
            : `that of ${tree.home} on ${tree.host}`,
      ],
      ['daemon', daemon],
      [
        'held by',
        holder === null
          ? 'nobody'
          : `process ${holder.pid} on ${holder.host}, ${holder.home}, for ${shortDuration(holder.seconds)}`,
      ],
      ['connections', `${status.connections.used} of ${status.connections.most}`],
      [
        'clock',
        `${Math.abs(status.clockAhead)} ms ${status.clockAhead < 0 ? 'behind' : 'ahead of'} this machine’s`,
      ],
    ],
    palette,
  )
}
