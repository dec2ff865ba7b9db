import { type Kysely, CompiledQuery } from 'kysely'

/**
 * Conversations on lines: which comment another one answers, and, in the first one, whether the
 * conversation was resolved.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await db.executeQuery(CompiledQuery.raw(statement))
}

const STATEMENTS = [
  'alter table review_comments add column thread integer',
  'alter table review_comments add column resolved integer not null default 0',
]
