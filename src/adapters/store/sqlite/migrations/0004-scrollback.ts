import { type Kysely, CompiledQuery } from 'kysely'

/**
 * What people wrote beside an agent’s terminal, and agents that are out of sight while their
 * worktree is still there: until now only what had been cleaned away was reaped.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await db.executeQuery(CompiledQuery.raw(statement))
}

const STATEMENTS = [
  'alter table agents add column cleanedAt integer',
  'update agents set cleanedAt = reapedAt',
  `create table scrollback (
    seq integer primary key autoincrement,
    agentId text not null,
    kind text not null,
    text text not null,
    at integer not null,
    line integer not null
  ) strict`,
  'create index scrollback_by_agent on scrollback (agentId, seq)',
]
