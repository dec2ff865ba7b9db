import { CompiledQuery, type Kysely } from 'kysely'

/** What agents used, by the hour. What they used before stands in their own rows alone. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await db.executeQuery(CompiledQuery.raw(statement))
}

const STATEMENTS = [
  `create table usage_hours (
    agentId text not null,
    hour integer not null,
    model text not null,
    input integer not null,
    output integer not null,
    cacheRead integer not null,
    cacheWrite integer not null,
    primary key (hour, agentId, model)
  ) strict, without rowid`,
]
