import { ExomonadError } from '../../../../domain/errors.ts'
import type { JournalStore } from '../../store.ts'
import type { JournalEntry } from '../../../../domain/records.ts'
import { type Session, change, rows } from '../session.ts'

type JournalRow = Omit<JournalEntry, 'data'> & { readonly data: string }

/**
 * A step or an end of something that was never begun is a fault: an effect would follow that no
 * restart could find.
 */
export function createJournal({ db, atomic }: Session): JournalStore {
  return {
    begin: async ({ id, kind, step, data, startedAt }) => {
      await db
        .insertInto('journal')
        .values({ id, kind, step, data: JSON.stringify(data), state: 'open', startedAt })
        .execute()
    },
    step: (id, step, data) =>
      atomic(async (own) => {
        const [found] = await rows<{ data: string }>(
          own,
          'select data from journal where id = ?',
          id,
        )
        if (found === undefined) throw unknownEntry(id)
        const merged = JSON.stringify({
          ...(JSON.parse(found.data) as JournalEntry['data']),
          ...data,
        })
        await change(own, 'update journal set step = ?, data = ? where id = ?', step, merged, id)
      }),
    finish: async (id, state) => {
      if ((await change(db, 'update journal set state = ? where id = ?', state, id)) === 0)
        throw unknownEntry(id)
    },
    open: async () =>
      (
        await rows<JournalRow>(
          db,
          `select ${COLUMNS} from journal where state = 'open' order by seq`,
        )
      ).map(toEntry),
    get: async (id) =>
      (await rows<JournalRow>(db, `select ${COLUMNS} from journal where id = ?`, id)).map(
        toEntry,
      )[0],
  }
}

const COLUMNS = 'id, kind, step, data, state, startedAt'

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
