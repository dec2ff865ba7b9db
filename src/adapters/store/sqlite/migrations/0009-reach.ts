import { CompiledQuery, type Kysely } from 'kysely'

/** How each message reaches its recipient. All of before were to be handed over as soon as possible. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await db.executeQuery(CompiledQuery.raw(statement))
}

const STATEMENTS = ["alter table deliveries add column reach text not null default 'wake'"]
