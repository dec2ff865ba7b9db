import { existsSync } from 'node:fs'
import { guardStore } from '../../adapters/store/guarded.ts'
import { openSqliteStore } from '../../adapters/store/sqlite/open.ts'
import type { Store } from '../../adapters/store/store.ts'
import { type Touches, watchStore } from '../../adapters/store/watched.ts'
import type { Environment } from '../../config/environment.ts'
import type { Config } from '../../config/schema.ts'
import { ExomonadError } from '../../domain/errors.ts'
import type { Log } from '../../runtime/log.ts'
import type { Paths } from '../../runtime/paths.ts'
import type { TextGate } from '../../sanitize/text-gate.ts'
import type { KnownTokens } from '../known-tokens.ts'
import { postgresPlace } from './store-place.ts'
import { requireDatabase } from '../unaccounted.ts'

/**
 * The daemon’s store, behind the text gate, which knows from it whose tokens there are; and word of
 * what is written to it.
 */
export async function openStore(options: {
  config: Config['store']
  environment: Environment
  paths: Paths
  log: Log
  clock: () => number
  gate: TextGate
  tokens: KnownTokens
}): Promise<{ store: Store; touches: Touches }> {
  const { gate, tokens } = options
  const { store, touches } = watchStore(await open(options))
  const guarded = guardStore(store, gate, tokens.addHash)
  for (const { tokenHash } of await guarded.agents.list()) tokens.addHash(tokenHash)
  return { store: guarded, touches }
}

/** A restore that was cut off has not brought back everything. */
function requireRestored({ restoring }: Paths): void {
  if (existsSync(restoring))
    throw new ExomonadError(
      'STORE_LOST',
      `A restore from a backup is under way, or was cut off. Run the same \`exomonad restore FILE\` again, which finishes it; to go on with what is there, remove ${restoring}.`,
      { folder: restoring },
    )
}

async function open({
  config,
  environment,
  paths,
  log,
  clock,
}: Parameters<typeof openStore>[0]): Promise<Store> {
  requireRestored(paths)
  if (config.kind === 'sqlite') {
    await requireDatabase(paths)
    return openSqliteStore({ file: paths.database, backups: paths.backups, log, clock })
  }
  // Loaded only where it is used.
  const { openPostgresStore } = await import('../../adapters/store/postgres/open.ts')
  return openPostgresStore({
    ...(await postgresPlace(config, { environment, paths })),
    ...{ log, clock },
  })
}
