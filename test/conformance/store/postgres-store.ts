import { randomUUID } from 'node:crypto'
import { parseConninfo } from '../../../src/adapters/store/postgres/conninfo.ts'
import {
  openPostgresStore,
  type PostgresStoreOptions,
} from '../../../src/adapters/store/postgres/open.ts'
import type { Store } from '../../../src/adapters/store/store.ts'
import { silentLog } from '../../../src/runtime/log.ts'
import type { Server } from '../../helpers/postgres.ts'
import type { OpenedStore } from './suite.ts'

export type Place = Pick<PostgresStoreOptions, 'target' | 'schema' | 'tree'>

/** A schema of its own on a server, and a tree of its own to be in it. */
export function placeOn(server: Server, url = server.url()): Place {
  const id = randomUUID()
  return {
    target: parseConninfo(url, {}, '/nowhere'),
    schema: `tree_${id.slice(0, 8)}`,
    tree: { id, home: '/work/here', host: 'this-host', pid: process.pid },
  }
}

export const openAt = (place: Place, options: Partial<PostgresStoreOptions> = {}): Promise<Store> =>
  openPostgresStore({ ...place, log: silentLog(), ...options })

export async function openOn(server: Server): Promise<OpenedStore> {
  const place = placeOn(server)
  let store = await openAt(place)
  return {
    get store() {
      return store
    },
    reopen: async () => {
      await store.close()
      store = await openAt(place)
    },
    dispose: async () => {
      await store.close()
      await server.sql(`drop schema "${place.schema}" cascade`)
    },
  }
}
