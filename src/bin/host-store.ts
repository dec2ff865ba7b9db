import { rm, writeFile } from 'node:fs/promises'
import type { Environment } from '../config/environment.ts'
import { ExomonadError } from '../domain/errors.ts'
import type { Paths } from '../runtime/paths.ts'
import type { Host } from '../surfaces/cli/host.ts'

/** The store while no daemon has it. */
export function createStoreHost(environment: Environment): Host['store'] {
  const sqlite = () => import('../adapters/store/sqlite/backup.ts')
  const inspect = () => import('../adapters/store/postgres/inspect.ts')
  const targetOf = async (address: string) => {
    const { parseConninfo } = await import('../adapters/store/postgres/conninfo.ts')
    return parseConninfo(address, environment.variables, environment.home)
  }
  const placeOf = async (
    paths: Paths,
    store: Parameters<Host['store']['inspect']>[1],
    url?: string,
  ) => {
    const { postgresPlace } = await import('../daemon/store/store-place.ts')
    return postgresPlace(store, { environment, paths, ...(url === undefined ? {} : { url }) })
  }
  return {
    inspect: async (paths, store) => {
      if (store.kind === 'sqlite') return (await sqlite()).inspectStore(paths.database)
      const { agents, live, version } = await (
        await inspect()
      ).inspectPostgres(await placeOf(paths, store))
      if (version === 0) return { kind: 'missing' }
      return agents === 0 ? { kind: 'empty' } : { kind: 'sound', agents, live }
    },
    backups: async ({ backups }) => (await sqlite()).listBackups(backups),
    restore: async (backup, { database, backups, accepted }) => {
      const kept = await (await sqlite()).restoreBackup(backup, database, backups, Date.now())
      await writeFile(accepted, '', { mode: 0o600 })
      return kept
    },
    setAside: async (paths, store) => {
      const { database, backups, accepted, auth, prompts, launch } = paths
      const kept =
        store.kind === 'sqlite'
          ? await (await sqlite()).setAside(database, backups, Date.now())
          : await (await inspect()).setAsidePostgres(await placeOf(paths, store), Date.now())
      await writeFile(accepted, '', { mode: 0o600 })
      for (const folder of [auth, prompts, launch])
        await rm(folder, { recursive: true, force: true })
      return kept
    },
    postgres: {
      spell: async (address) => {
        const { spellConninfo } = await import('../adapters/store/postgres/conninfo.ts')
        return spellConninfo(await targetOf(address))
      },
      drop: async (address, schema) =>
        (await inspect()).dropSchema(await targetOf(address), schema),
      status: async (paths, store) =>
        (await inspect()).inspectPostgres(await placeOf(paths, store)),
      check: async (paths, store) => (await inspect()).checkPostgres(await placeOf(paths, store)),
      move: async (paths, store, url) => {
        const [{ acquireInstanceLock }, { moveToPostgres }, { silentLog }, place] =
          await Promise.all([
            import('../adapters/machine/instance-lock.ts'),
            import('../adapters/store/move.ts'),
            import('../runtime/log.ts'),
            placeOf(paths, store, url),
          ])
        // No daemon starts meanwhile and writes into what is left behind.
        const lock = acquireInstanceLock(paths.lock)
        if (lock.kind === 'held')
          throw new ExomonadError(
            'ALREADY_RUNNING',
            'The daemon runs, and writes into the store that is to be moved. `exomonad daemon stop` first; agents go on.',
            { pid: lock.pid },
          )
        try {
          const tables = await moveToPostgres({
            file: paths.database,
            state: paths.state,
            place,
            log: silentLog(),
          })
          return { place: `schema ${place.schema} in ${place.target.shown}`, tables }
        } finally {
          lock.release()
        }
      },
    },
  }
}
