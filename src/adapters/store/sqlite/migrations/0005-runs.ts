import { type Kysely, CompiledQuery } from 'kysely'

/** What sessions and processes without a terminal are started with, and what comes of any agent. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await db.executeQuery(CompiledQuery.raw(statement))
}

const STATEMENTS = [
  `create table runs (
    agentId text primary key,
    startTree text,
    command text,
    model text,
    deadline integer,
    result text
  ) strict`,
  'create index runs_by_deadline on runs (deadline) where deadline is not null and result is null',
]
