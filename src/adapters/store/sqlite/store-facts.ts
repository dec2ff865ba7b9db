import Database from 'better-sqlite3'

/** What a store is like, in numbers; names and texts apart. */
export interface StoreFacts {
  readonly version: string
  readonly bytes: number
  /** Rows of each table. */
  readonly rows: Readonly<Record<string, number>>
  /** How many of each: `worker, claude, idle`. */
  readonly agents: Readonly<Record<string, number>>
  /** Of deliveries that are not settled, and what is under way in the journal. */
  readonly deliveries: Readonly<Record<string, number>>
  readonly journal: Readonly<Record<string, number>>
  /** The last events by type. */
  readonly events: readonly { readonly at: number; readonly type: string }[]
  readonly known: readonly KnownAgent[]
}

export interface KnownAgent {
  readonly id: string
  readonly kind: string
  readonly name: string
  readonly branch: string
  readonly task: string
  readonly tokenHash: string
}

const EVENTS = 100

/** Only reads; throws what SQLite says where the file can’t be read. */
export function readStoreFacts(file: string): StoreFacts {
  const database = new Database(file, { readonly: true, fileMustExist: true })
  try {
    const all = <Row>(sql: string): Row[] => database.prepare(sql).all() as Row[]
    const count = (sql: string): Record<string, number> =>
      Object.fromEntries(
        all<{ what: string; count: number }>(sql).map(({ what, count: found }) => [what, found]),
      )
    const tables = all<{ name: string }>(
      "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by name",
    )
    const [version] = all<{ name: string }>(
      'select name from kysely_migration order by name desc limit 1',
    )
    const [size] = all<{ bytes: number }>(
      'select page_count * page_size as bytes from pragma_page_count(), pragma_page_size()',
    )
    return {
      version: version?.name ?? 'none',
      bytes: size?.bytes ?? 0,
      rows: Object.fromEntries(
        tables.map(({ name }) => [
          name,
          all<{ count: number }>(`select count(*) as count from "${name}"`)[0]?.count ?? 0,
        ]),
      ),
      agents: count(
        "select kind || ', ' || runtime || ', ' || state as what, count(*) as count from agents group by what",
      ),
      deliveries: count('select state as what, count(*) as count from deliveries group by what'),
      journal: count(
        "select kind || ', ' || step as what, count(*) as count from journal where state = 'open' group by what",
      ),
      events: all<{ at: number; type: string }>(
        `select at, type from events order by seq desc limit ${EVENTS}`,
      ).toReversed(),
      known: all('select id, kind, name, branch, task, tokenHash from agents order by seq'),
    }
  } finally {
    database.close()
  }
}
