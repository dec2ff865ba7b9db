import type { SnapshotStore } from '../../store.ts'
import type { Given, Tools } from '../queries.ts'
import type { Session } from '../session.ts'

export function createSnapshots({ rows, change }: Session): SnapshotStore {
  return {
    get: async (key) => {
      const [found] = await rows(GET, { key })
      return found === undefined ? undefined : (JSON.parse(found.value) as Record<string, unknown>)
    },
    put: async (key, value) => {
      await change(PUT, { key, value: JSON.stringify(value) })
    },
    remove: async (key) => {
      await change(REMOVE, { key })
    },
    keys: async (prefix) => (await rows(KEYS, { prefix })).map(({ key }) => key),
    list: async (prefix) => {
      const found = await rows(LIST, { prefix })
      return new Map(
        found.map(({ key, value }) => [key, JSON.parse(value) as Record<string, unknown>]),
      )
    },
  }
}

const GET = ({ db }: Tools, given: Given<{ key: string }>) =>
  db.selectFrom('snapshots').select('value').where('key', '=', given.key)

const PUT = ({ db }: Tools, given: Given<{ key: string; value: string }>) =>
  db
    .insertInto('snapshots')
    .values(given)
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet(({ ref }) => ({ value: ref('excluded.value') })),
    )

const REMOVE = ({ db }: Tools, given: Given<{ key: string }>) =>
  db.deleteFrom('snapshots').where('key', '=', given.key)

const KEYS = ({ db, startsWith }: Tools, given: Given<{ prefix: string }>) =>
  db
    .selectFrom('snapshots')
    .select('key')
    .where(({ ref }) => startsWith(ref('key'), given.prefix))
    .orderBy('key')

const LIST = (tools: Tools, given: Given<{ prefix: string }>) => KEYS(tools, given).select('value')
