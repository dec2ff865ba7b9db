import { CompiledQuery, type Kysely } from 'kysely'

/** Comments on lines of the old version. All of before were on the new one. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await db.executeQuery(CompiledQuery.raw(statement))
}

const STATEMENTS = ["alter table review_comments add column side text not null default 'right'"]
