import { type Kysely, CompiledQuery } from 'kysely'

/** What agent CLIs bring: usage by model, and an agent’s own choice of tools. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await db.executeQuery(CompiledQuery.raw(statement))
}

const STATEMENTS = [
  'alter table agents add column usage text',
  'alter table agents add column tools text',
]
