import type { DeadlineStore } from '../../store.ts'
import { type Session, change, rows } from '../session.ts'

export function createDeadlines({ db }: Session): DeadlineStore {
  return {
    // Rounded up: settings in minutes and hours need not give whole milliseconds, and none may be
    // due early.
    set: async (key, at, data) => {
      await change(db, SET, key, Math.ceil(at), JSON.stringify(data))
    },
    remove: async (key) => {
      await change(db, 'delete from deadlines where key = ?', key)
    },
    removePrefix: async (prefix) => {
      await change(db, 'delete from deadlines where substr(key, 1, length(?)) = ?', prefix, prefix)
    },
    due: async (now) => {
      const found = await rows<{ key: string; at: number; data: string }>(
        db,
        'select key, at, data from deadlines where at <= ? order by at, key',
        now,
      )
      return found.map(({ key, at, data }) => ({
        key,
        at,
        data: JSON.parse(data) as Record<string, unknown>,
      }))
    },
    next: async () =>
      (await rows<{ at: number | null }>(db, 'select min(at) as at from deadlines'))[0]?.at ??
      undefined,
  }
}

const SET =
  'insert into deadlines (key, at, data) values (?, ?, ?) on conflict (key) do update set at = excluded.at, data = excluded.data'
