import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'
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
import { up as usageHours } from './migrations/0011-usage-hours.ts'
import { up as commentSides } from './migrations/0012-comment-sides.ts'
import { migrateStore } from '../sql/migrate.ts'
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
  '0011-usage-hours': { up: usageHours },
  '0012-comment-sides': { up: commentSides },
}

/** Brings the store to the version known here. Throws STORE_TOO_NEW. */
export const migrate = ({
  db,
  file,
  before,
  backups,
}: {
  db: Kysely<Tables>
  file: string
  /** With the version that the store has. */
  before: (version: number) => Promise<void>
  /** Where copies from before may be. */
  backups: string | null
}): Promise<void> =>
  migrateStore({
    ...{ db, migrations: MIGRATIONS, isBegun: () => isBegun(db), before, place: file },
    wayBack:
      backups === null
        ? ''
        : ` Copies from before the change are in ${backups} (\`exomonad store list\`); \`exomonad store restore FILE\` goes back to one, without what happened since.`,
  })

async function isBegun(db: Kysely<Tables>): Promise<boolean> {
  const tables = await db
    .withTables<Catalogue>()
    .selectFrom('sqlite_master')
    .select('name')
    .where('type', '=', 'table')
    .where('name', '=', 'kysely_migration')
    .execute()
  return tables.length > 0
}

/** An alias, because an interface has no index. */
type Catalogue = { sqlite_master: { type: string; name: string } }
