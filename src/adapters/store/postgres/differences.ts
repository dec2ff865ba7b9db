import { sql } from 'kysely'
import type { Differences } from '../sql/differences.ts'

/** How PostgreSQL says what the dialects say differently. */
export const postgresDifferences: Differences = {
  bindList: (values) => values,
  listed: (list) => sql`(select unnest(${list}::text[]))`,
  startsWith: (text, start) => sql`starts_with(${text}, ${start}::text)`,
  endsWith: (text, end) => sql`right(${text}, length(${end}::text)) = ${end}::text`,
  lastEvent: sql`(select case when is_called then last_value else 0 end from events_seq_seq)`,
  notify: (channel) => sql`pg_notify(${channel}::text, '')`,
}
