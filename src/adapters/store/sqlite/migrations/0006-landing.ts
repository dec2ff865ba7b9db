import { type Kysely, CompiledQuery } from 'kysely'

/**
 * Checks of merge results, remembered by the files that were checked, and of no single pull
 * request; what a delivery is about, so that it can be withdrawn. SQLite can’t make a column
 * nullable: the table is copied.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await db.executeQuery(CompiledQuery.raw(statement))
}

const KEPT = 'id, pull, name, head, configHash, status, exitCode, logPath, startedAt, finishedAt'

const STATEMENTS = [
  `create table checks_new (
    id integer primary key autoincrement,
    pull integer references pulls (number),
    kind text not null default 'pull',
    name text not null,
    head text not null,
    base text,
    tree text,
    configHash text not null,
    status text not null,
    exitCode integer,
    logPath text not null,
    startedAt integer,
    finishedAt integer
  ) strict`,
  `insert into checks_new (${KEPT}) select ${KEPT} from checks`,
  'drop table checks',
  'alter table checks_new rename to checks',
  'create index checks_by_pull on checks (pull)',
  'create index checks_by_head on checks (head)',
  'create index checks_by_tree on checks (tree) where tree is not null',

  'alter table deliveries add column subject text',
  "create index deliveries_by_subject on deliveries (subject) where subject is not null and state = 'queued'",
]
