import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'
import { migrateStore } from '../sql/migrate.ts'
import type { Tables } from '../sql/tables.ts'
import { up as initial } from './migrations/0001-initial.ts'
import { up as usageHours } from './migrations/0002-usage-hours.ts'
import { up as commentSides } from './migrations/0003-comment-sides.ts'

/**
 * Every change of the schema, by name in order; the number in front is the store's version, which
 * counts for itself and not with SQLite's. Only ever added to.
 */
export const MIGRATIONS: Readonly<Record<string, Migration>> = {
  '0001-initial': { up: initial },
  '0002-usage-hours': { up: usageHours },
  '0003-comment-sides': { up: commentSides },
}

/**
 * Brings the store to the version known here, under the builder's advisory lock and that of the
 * tree (claim.ts). Throws STORE_TOO_NEW.
 */
export const migrate = (
  db: Kysely<Tables>,
  schema: string,
  place: string,
  migrations = MIGRATIONS,
): Promise<void> =>
  migrateStore({
    ...{ db, migrations, schema, place },
    isBegun: () => isBegun(db, schema),
    before: async () => {},
  })

async function isBegun(db: Kysely<Tables>, schema: string): Promise<boolean> {
  const tables = await db
    .withTables<Catalogue>()
    .selectFrom('pg_tables')
    .select('tablename')
    .where('schemaname', '=', schema)
    .where('tablename', '=', 'kysely_migration')
    .execute()
  return tables.length > 0
}

/** An alias, because an interface has no index. */
type Catalogue = { pg_tables: { schemaname: string; tablename: string } }
