import { afterAll, beforeAll } from 'vitest'
import { type Server, startPostgres, whyNoPostgres } from '../../helpers/postgres.ts'
import { openOn } from './postgres-store.ts'
import { storeConformance } from './suite.ts'

const missing = whyNoPostgres()
let server: Server
beforeAll(async () => {
  if (missing === null) server = await startPostgres()
})
afterAll(async () => server?.dispose())

if (missing === null) storeConformance('the PostgreSQL store', () => openOn(server))
