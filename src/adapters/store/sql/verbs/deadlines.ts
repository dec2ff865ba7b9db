import type { DeadlineStore } from '../../store.ts'
import type { Given, Tools } from '../queries.ts'
import type { Session } from '../session.ts'
import type { Tables } from '../tables.ts'

export function createDeadlines({ rows, change }: Session): DeadlineStore {
  return {
    // Rounded up: settings in minutes and hours need not give whole milliseconds, and none may be
    // due early.
    set: async (key, at, data) => {
      await change(SET, { key, at: Math.ceil(at), data: JSON.stringify(data) })
    },
    remove: async (key) => {
      await change(REMOVE, { key })
    },
    removePrefix: async (prefix) => {
      await change(REMOVE_PREFIX, { prefix })
    },
    due: async (now) => {
      const found = await rows(DUE, { now })
      return found.map(({ key, at, data }) => ({
        key,
        at,
        data: JSON.parse(data) as Record<string, unknown>,
      }))
    },
    next: async () => (await rows(NEXT, {}))[0]?.at ?? undefined,
  }
}

const SET = ({ db }: Tools, given: Given<Tables['deadlines']>) =>
  db
    .insertInto('deadlines')
    .values(given)
    .onConflict((conflict) =>
      conflict
        .column('key')
        .doUpdateSet(({ ref }) => ({ at: ref('excluded.at'), data: ref('excluded.data') })),
    )

const REMOVE = ({ db }: Tools, given: Given<{ key: string }>) =>
  db.deleteFrom('deadlines').where('key', '=', given.key)

const REMOVE_PREFIX = ({ db, startsWith }: Tools, given: Given<{ prefix: string }>) =>
  db.deleteFrom('deadlines').where(({ ref }) => startsWith(ref('key'), given.prefix))

const DUE = ({ db }: Tools, given: Given<{ now: number }>) =>
  db
    .selectFrom('deadlines')
    .select(['key', 'at', 'data'])
    .where('at', '<=', given.now)
    .orderBy('at')
    .orderBy('key')

const NEXT = ({ db }: Tools) =>
  db.selectFrom('deadlines').select(({ fn }) => fn.min<number | null>('at').as('at'))
