import type { Kysely } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { ExomonadError } from '../../../domain/errors.ts'
import type { Tables } from './tables.ts'

/**
 * Brings a store to the newest of these migrations; the number that begins a name is the version.
 * `isBegun`: whether the store has any, by its table of them. All that is
 * missing runs in one transaction, which looks again at what has been done, after `before`, which is
 * called where there is something to lose: of several processes that start at once one migrates, and
 * the others find it done. Throws STORE_TOO_NEW.
 */
export async function migrateStore(options: {
  db: Kysely<Tables>
  migrations: Readonly<Record<string, Migration>>
  isBegun: () => Promise<boolean>
  before: (version: number) => Promise<void>
  place: string
  /** A sentence for whoever has only the older exomonad. */
  wayBack?: string
  /** Where its tables are, for a database that has several. */
  schema?: string
}): Promise<void> {
  const { db, migrations, isBegun, before, place, schema, wayBack = '' } = options
  const known = Math.max(...Object.keys(migrations).map(versionOf))

  const storedVersion = async (): Promise<number> => {
    const found = (await isBegun()) ? await latestVersion(db) : 0
    if (found <= known) return found
    throw new ExomonadError(
      'STORE_TOO_NEW',
      `The store ${place} has version ${found}, written by a newer exomonad; this one knows versions up to ${known}. Use that exomonad, or a newer one.${wayBack}`,
      { file: place, found, known },
    )
  }

  const version = await storedVersion()
  if (version === known) return
  if (version > 0) await before(version)
  const migrator = new Migrator({
    db,
    provider: { getMigrations: () => Promise.resolve(migrations) },
    ...(schema === undefined ? {} : { migrationTableSchema: schema }),
  })
  const { error } = await migrator.migrateToLatest()
  if (error === undefined) return
  // A newer exomonad may have been here between the look and the migration: that is the better
  // thing to say.
  await storedVersion()
  throw error
}

async function latestVersion(db: Kysely<Tables>): Promise<number> {
  const latest = await db
    .withTables<{ kysely_migration: { name: string } }>()
    .selectFrom('kysely_migration')
    .select('name')
    .orderBy('name', 'desc')
    .limit(1)
    .executeTakeFirst()
  return latest === undefined ? 0 : versionOf(latest.name)
}

const versionOf = (name: string): number => Number.parseInt(name, 10)
