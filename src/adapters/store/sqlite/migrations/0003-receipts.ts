import { type Kysely, CompiledQuery } from 'kysely'

/**
 * What a call’s result took away, and whether the result arrived. What was taken before this counts
 * as arrived.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await db.executeQuery(CompiledQuery.raw(statement))
}

const STATEMENTS = [
  'alter table questions add column confirmed integer not null default 0',
  'update questions set confirmed = 1 where claimedBy is not null',
  "create index questions_unconfirmed on questions (seq) where claimedBy = 'tool' and confirmed = 0",
  'alter table mail add column confirmed integer not null default 0',
  'update mail set confirmed = 1 where poppedAt is not null',
  'create index mail_unconfirmed on mail (seq) where poppedAt is not null and confirmed = 0',
]
