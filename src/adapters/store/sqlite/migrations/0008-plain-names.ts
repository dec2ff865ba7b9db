import { CompiledQuery, type Kysely } from 'kysely'

/**
 * Columns and keys get the names that the code has for them: a delivery is claimed by a worker, which says
 * nothing of its arrival; an agent gives a reason to stop, and something blocks that.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await db.executeQuery(CompiledQuery.raw(statement))
}

const STATEMENTS = [
  'alter table deliveries rename column sentAt to claimedAt',
  'alter table agents rename column stopExcuse to stopReason',
  'alter table agents rename column stopObjection to stopBlocker',
  "update snapshots set key = 'forge:health' where key = 'forge:weather'",
]
