import { CompiledQuery, type Kysely } from 'kysely'

/** Comments on several lines: the first of them. All of before were about one line, or the file. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await db.executeQuery(CompiledQuery.raw(statement))
}

const STATEMENTS = ['alter table review_comments add column startLine integer']
