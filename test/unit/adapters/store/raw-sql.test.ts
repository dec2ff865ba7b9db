import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

/**
 * Queries are the builder's, so that what they say holds for every dialect: SQL by hand is in
 * migrations, where a connection is opened and driven, in backups, and in the one file of a
 * dialect's differences.
 */

const store = join(import.meta.dirname, '..', '..', '..', '..', 'src', 'adapters', 'store')

const RAW = [
  // A template, also with its type before it.
  /\bsql\s*(<[^`;]*>)?\s*`/,
  /\bsql\.raw\b/,
  /\bCompiledQuery\b[^;\n]*\braw\b/,
  /\.(prepare|exec)\(/,
  /['"`]\s*(select|insert|update|delete|replace|with)\s/i,
]
const isRaw = (text: string): boolean => RAW.some((pattern) => pattern.test(text))

const BY_HAND = [
  /^sqlite\/migrations\/[^/]+\.ts$/,
  /^sqlite\/(connection|dialect|differences|backup|adopt-copy|store-facts)\.ts$/,
  /^postgres\/migrations\/[^/]+\.ts$/,
  /^postgres\/(claim|commits|dialect|differences|inspect|listening|open|session)\.ts$/,
  // From one to the other, whole rows as they lie there.
  /^(move|copy-to-sqlite)\.ts$/,
]

describe('the store', () => {
  const names = readdirSync(store, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  )
  const raw = names.filter((name) => isRaw(readFileSync(join(store, name), 'utf8')))

  it('has no SQL by hand but in migrations, connections, backups and differences', () => {
    expect(raw.filter((name) => !BY_HAND.some((place) => place.test(name)))).toEqual([])
  })

  it('has nothing of SQLite in what all dialects share', () => {
    const shared = names.filter((name) => name.startsWith('sql/'))
    expect(shared.length).toBeGreaterThan(15)
    expect(
      shared.filter((name) =>
        /better-sqlite3|sqlite_|json_each|Sqlite|'pg'|pg_|Postgres/.test(
          readFileSync(join(store, name), 'utf8'),
        ),
      ),
    ).toEqual([])
  })

  it('is looked at where there is SQL by hand', () => {
    expect(raw).toContain('sqlite/differences.ts')
    expect(raw).toContain('sqlite/dialect.ts')
    expect(raw).toContain('sqlite/migrations/0001-initial.ts')
  })

  it.each([
    'sql`now()`',
    'sql<number>`(select coalesce(max(number), 0) + 1 from pulls)`',
    "sql.raw('1')",
    'CompiledQuery.raw(statement)',
    'connection.prepare(text)',
    "connection.exec('begin')",
    "const GET = 'select value from snapshots where key = ?'",
    'const PUT = `\n  INSERT into snapshots (key) values (?)`',
  ])('would show %j', (text) => {
    expect(isRaw(text)).toBe(true)
  })

  it.each(["sql.lit('queued')", "db.selectFrom('mail').select('seq')", "['selected']"])(
    'lets %j be',
    (text) => {
      expect(isRaw(text)).toBe(false)
    },
  )
})
