import type { Kysely } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { ExomonadError } from '../../../domain/errors.ts'
import { up as initial } from './migrations/0001-initial.ts'
import { up as agentPrograms } from './migrations/0002-agent-programs.ts'
import { up as receipts } from './migrations/0003-receipts.ts'
import { up as scrollback } from './migrations/0004-scrollback.ts'
import { up as runs } from './migrations/0005-runs.ts'
import { up as landing } from './migrations/0006-landing.ts'
import { up as threads } from './migrations/0007-threads.ts'
import { up as plainNames } from './migrations/0008-plain-names.ts'
import { up as reach } from './migrations/0009-reach.ts'
import { up as lineRanges } from './migrations/0010-line-ranges.ts'
import type { Tables } from '../sql/tables.ts'

/**
 * Every change of the schema, by name in order; the number in front is the store's version. Only
 * ever added to.
 */
const MIGRATIONS: Record<string, Migration> = {
  '0001-initial': { up: initial },
  '0002-agent-programs': { up: agentPrograms },
  '0003-receipts': { up: receipts },
  '0004-scrollback': { up: scrollback },
  '0005-runs': { up: runs },
  '0006-landing': { up: landing },
  '0007-threads': { up: threads },
  '0008-plain-names': { up: plainNames },
  '0009-reach': { up: reach },
  '0010-line-ranges': { up: lineRanges },
}

/**
 * Brings the store to the version known here. All that is missing runs in one immediate
 * transaction, which looks again at what has been done, after `before`, which is called where there
 * is something to lose: of several processes that start at once one migrates, and the others find
 * it done. Throws STORE_TOO_NEW.
 */
export async function migrate(
  db: Kysely<Tables>,
  file: string,
  before: () => Promise<void>,
): Promise<void> {
  const version = await storedVersion(db, file)
  if (version === KNOWN_VERSION) return
  if (version > 0) await before()
  const migrator = new Migrator({
    db,
    provider: { getMigrations: () => Promise.resolve(MIGRATIONS) },
  })
  const { error } = await migrator.migrateToLatest()
  if (error === undefined) return
  // A newer exomonad may have been here between the look and the migration: that is the better
  // thing to say.
  await storedVersion(db, file)
  throw error
}

const versionOf = (name: string): number => Number.parseInt(name, 10)
const KNOWN_VERSION = Math.max(...Object.keys(MIGRATIONS).map(versionOf))

/** Zero for a fresh file. */
async function storedVersion(db: Kysely<Tables>, file: string): Promise<number> {
  const catalogue = db.withTables<Catalogue>()
  const tables = await catalogue
    .selectFrom('sqlite_master')
    .select('name')
    .where('type', '=', 'table')
    .where('name', '=', 'kysely_migration')
    .execute()
  if (tables.length === 0) return 0
  const latest = await catalogue
    .selectFrom('kysely_migration')
    .select('name')
    .orderBy('name', 'desc')
    .limit(1)
    .executeTakeFirst()
  const found = latest === undefined ? 0 : versionOf(latest.name)
  if (found > KNOWN_VERSION) {
    throw new ExomonadError(
      'STORE_TOO_NEW',
      `The store ${file} has version ${found}, written by a newer exomonad; this one knows versions up to ${KNOWN_VERSION}. Use that exomonad, or a newer one.`,
      { file, found, known: KNOWN_VERSION },
    )
  }
  return found
}

/** An alias, because an interface has no index. */
type Catalogue = {
  sqlite_master: { type: string; name: string }
  kysely_migration: { name: string }
}
