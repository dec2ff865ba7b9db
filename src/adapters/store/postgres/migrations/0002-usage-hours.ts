import { CompiledQuery, type Kysely } from 'kysely'

/** What agents used, by the hour. What they used before stands in their own rows alone. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await db.executeQuery(CompiledQuery.raw(statement))
}

const STATEMENTS = [
  `create table usage_hours (
    "agentId" text collate "C" not null,
    "hour" bigint not null,
    "model" text collate "C" not null,
    "input" bigint not null,
    "output" bigint not null,
    "cacheRead" bigint not null,
    "cacheWrite" bigint not null,
    primary key ("hour", "agentId", "model")
  )`,
]
