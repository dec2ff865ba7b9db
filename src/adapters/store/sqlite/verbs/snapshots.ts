import type { SnapshotStore } from '../../store.ts'
import { type Session, change, rows } from '../session.ts'

export function createSnapshots({ db }: Session): SnapshotStore {
  return {
    get: async (key) => {
      const [found] = await rows<{ value: string }>(
        db,
        'select value from snapshots where key = ?',
        key,
      )
      return found === undefined ? undefined : (JSON.parse(found.value) as Record<string, unknown>)
    },
    put: async (key, value) => {
      await change(db, PUT, key, JSON.stringify(value))
    },
    remove: async (key) => {
      await change(db, 'delete from snapshots where key = ?', key)
    },
    keys: async (prefix) => {
      const found = await rows<{ key: string }>(
        db,
        `select key from snapshots where ${STARTS_SO} order by key`,
        prefix,
        prefix,
      )
      return found.map(({ key }) => key)
    },
    list: async (prefix) => {
      const found = await rows<{ key: string; value: string }>(
        db,
        `select key, value from snapshots where ${STARTS_SO} order by key`,
        prefix,
        prefix,
      )
      return new Map(
        found.map(({ key, value }) => [key, JSON.parse(value) as Record<string, unknown>]),
      )
    },
  }
}

const PUT =
  'insert into snapshots (key, value) values (?, ?) on conflict (key) do update set value = excluded.value'
const STARTS_SO = 'substr(key, 1, length(?)) = ?'
