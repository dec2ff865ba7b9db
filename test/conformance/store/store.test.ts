import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqliteStore } from '../../../src/adapters/store/sqlite/open.ts'
import { silentLog } from '../../../src/runtime/log.ts'
import { type OpenedStore, storeConformance } from './suite.ts'

storeConformance('the SQLite store', async (): Promise<OpenedStore> => {
  const folder = mkdtempSync(join(tmpdir(), 'store-'))
  const open = (): ReturnType<typeof openSqliteStore> =>
    openSqliteStore({ file: join(folder, 'store.db'), log: silentLog() })
  let store = await open()
  return {
    get store() {
      return store
    },
    reopen: async () => {
      await store.close()
      store = await open()
    },
    dispose: async () => {
      await store.close()
      rmSync(folder, { recursive: true })
    },
  }
})
