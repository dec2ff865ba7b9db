import { chmod, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setAside } from '../../adapters/store/sqlite/backup.ts'
import type { Environment } from '../../config/environment.ts'
import type { Config } from '../../config/schema.ts'
import { ExomonadError } from '../../domain/errors.ts'
import { silentLog } from '../../runtime/log.ts'
import type { Paths } from '../../runtime/paths.ts'

/** Where the store of a tree that is brought back goes. */
export interface StoreDestination {
  /**
   * Puts a SQLite store there, whose file is gone then or may be taken away; what was there is put
   * aside. Returns where that is kept; null where there was nothing. Done again after a kill, it
   * brings the same file once.
   */
  bring(file: string): Promise<string | null>
}

/** One agent is the root. */
const NOBODY = 1

/**
 * As the configuration says. Only looks: throws NOT_AVAILABLE where a tree is in the database
 * already (unless `replaces`), STORE_BUSY where a daemon has it, STORE_UNAVAILABLE and CONFIG_INVALID
 * where it can’t be reached.
 */
export async function findDestination(options: {
  store: Config['store']
  paths: Paths
  environment: Environment
  /** What is there may be put aside. */
  replaces: boolean
}): Promise<StoreDestination> {
  const { store, paths, environment, replaces } = options
  if (store.kind === 'sqlite')
    return {
      bring: async (file) => {
        // Gone where a kill came after it was put in its place.
        const kept = await setAside(paths.database, paths.backups, Date.now())
        await chmod(file, 0o600)
        await rename(file, paths.database)
        return kept
      },
    }
  const [
    { inspectPostgres, setAsidePostgres },
    { holdsRowsOf, moveToPostgres },
    { postgresPlace },
  ] = await Promise.all([
    import('../../adapters/store/postgres/inspect.ts'),
    import('../../adapters/store/move.ts'),
    import('../store/store-place.ts'),
  ])
  const place = await postgresPlace(store, { environment, paths })
  const found = await inspectPostgres(place)
  const { holder, tree } = found
  if (holder !== null)
    throw new ExomonadError(
      'STORE_BUSY',
      `A daemon has the store (${found.place}): that of ${holder.home} on ${holder.host}, process ${holder.pid}. \`exomonad down\` there first, or name another schema in [store] schema. No branch, worktree or store was touched.`,
    )
  if (found.agents > NOBODY && !replaces)
    throw new ExomonadError(
      'NOT_AVAILABLE',
      `There is a tree in ${found.place} already, with ${found.agents} agents${tree === null || found.own ? '' : `, that of ${tree.home} on ${tree.host}`}. \`exomonad restore --force FILE\` gives that schema another name and puts the backup in its place; [store] schema names another one. No branch, worktree or store was touched.`,
      { agents: found.agents },
    )
  return {
    bring: async (file) => {
      const now = await inspectPostgres(place)
      const isNew = now.version === 0 || (now.agents === 0 && now.own)
      // A kill came after it was committed there.
      if (!isNew && now.own && (await holdsRowsOf({ file, place }))) return null
      const kept = isNew ? null : await setAsidePostgres(place, Date.now())
      await moveToPostgres({ file, state: dirname(file), place, log: silentLog() })
      return kept === null ? null : `schema ${kept}`
    },
  }
}
