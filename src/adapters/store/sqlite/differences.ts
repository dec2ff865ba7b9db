import { sql } from 'kysely'
import type { Differences } from '../sql/differences.ts'

/** How SQLite says what the dialects say differently. */
export const sqliteDifferences: Differences = {
  bindList: (values) => JSON.stringify(values),
  listed: (list) => sql`(select value from json_each(${list}))`,
  startsWith: (text, start) => sql`substr(${text}, 1, length(${start})) = ${start}`,
  endsWith: (text, end) => sql`substr(${text}, -length(${end})) = ${end}`,
  lastEvent: sql`coalesce((select seq from sqlite_sequence where name = 'events'), 0)`,
  notify: null,
}
