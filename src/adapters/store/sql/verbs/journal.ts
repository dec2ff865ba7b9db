import { sql } from 'kysely'
import { ExomonadError } from '../../../../domain/errors.ts'
import type { JournalEntry } from '../../../../domain/records.ts'
import type { JournalStore } from '../../store.ts'
import type { Given, Tools } from '../queries.ts'
import type { Session } from '../session.ts'

type JournalRow = Omit<JournalEntry, 'data'> & { readonly data: string }

/**
 * A step or an end of something that was never begun is a fault: an effect would follow that no
 * restart could find.
 */
export function createJournal({ rows, change, atomic }: Session): JournalStore {
  return {
    begin: async ({ id, kind, step, data, startedAt }) => {
      await change(BEGIN, { id, kind, step, data: JSON.stringify(data), startedAt })
    },
    step: (id, step, data) =>
      atomic(async (own) => {
        const [found] = await own.rows(DATA, { id })
        if (found === undefined) throw unknownEntry(id)
        const merged = JSON.stringify({
          ...(JSON.parse(found.data) as JournalEntry['data']),
          ...data,
        })
        await own.change(STEP, { id, step, data: merged })
      }),
    finish: async (id, state) => {
      if ((await change(FINISH, { id, state })) === 0) throw unknownEntry(id)
    },
    open: async () => (await rows(OPEN, {})).map(toEntry),
    get: async (id) => (await rows(GET, { id })).map(toEntry)[0],
  }
}

const COLUMNS = ['id', 'kind', 'step', 'data', 'state', 'startedAt'] as const

const BEGIN = ({ db }: Tools, given: Given<Omit<JournalRow, 'state'>>) =>
  db.insertInto('journal').values({ ...given, state: sql.lit('open') })

const DATA = ({ db }: Tools, given: Given<{ id: string }>) =>
  db.selectFrom('journal').select('data').where('id', '=', given.id)

const STEP = ({ db }: Tools, { id, ...step }: Given<Pick<JournalRow, 'id' | 'step' | 'data'>>) =>
  db.updateTable('journal').set(step).where('id', '=', id)

const FINISH = ({ db }: Tools, { id, state }: Given<Pick<JournalRow, 'id' | 'state'>>) =>
  db.updateTable('journal').set({ state }).where('id', '=', id)

const OPEN = ({ db }: Tools) =>
  db.selectFrom('journal').select(COLUMNS).where('state', '=', sql.lit('open')).orderBy('seq')

const GET = ({ db }: Tools, given: Given<{ id: string }>) =>
  db.selectFrom('journal').select(COLUMNS).where('id', '=', given.id)

function toEntry(row: JournalRow): JournalEntry {
  return { ...row, data: JSON.parse(row.data) as JournalEntry['data'] }
}

function unknownEntry(id: string): ExomonadError {
  return new ExomonadError(
    'INTERNAL',
    `The journal has no entry ${id}: its begin was not written.`,
    { id },
  )
}
