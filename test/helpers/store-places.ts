import { afterAll } from 'vitest'
import { openAt, placeOn } from '../conformance/store/postgres-store.ts'
import { mailFolder, type MailPlace } from './mail-world.ts'
import { type Server, startPostgres, whyNoPostgres } from './postgres.ts'

/**
 * Test helper: the stores that a model is played against, each with the part of the runs that it gets:
 * on PostgreSQL a case costs ten times as much, and what it could do differently shows in a few.
 * To be called at the top of a file.
 */
export function storeKinds(): { name: string; part: number; place: () => Promise<MailPlace> }[] {
  let server: Promise<Server> | undefined
  afterAll(async () => (await server)?.dispose())
  const sqlite = { name: 'SQLite', part: 1, place: () => Promise.resolve(mailFolder()) }
  if (whyNoPostgres() !== null) return [sqlite]
  const place = async (): Promise<MailPlace> => {
    const running = await (server ??= startPostgres())
    const own = placeOn(running)
    return {
      file: () => openAt(own),
      remove: async () => void (await running.sql(`drop schema "${own.schema}" cascade`)),
    }
  }
  return [sqlite, { name: 'PostgreSQL', part: 0.15, place }]
}
