import {
  type CompiledQuery,
  DummyDriver,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from 'kysely'
import { describe, expect, it } from 'vitest'
import {
  createRunners,
  type Given,
  type Tools,
} from '../../../../src/adapters/store/sql/queries.ts'
import type { Tables } from '../../../../src/adapters/store/sql/tables.ts'
import { sqliteDifferences } from '../../../../src/adapters/store/sqlite/differences.ts'

interface Filter {
  readonly prefix?: string | undefined
  readonly keys?: readonly string[]
}

describe('a query', () => {
  const setUp = () => {
    const executed: Pick<CompiledQuery, 'sql' | 'parameters'>[] = []
    const driver = new DummyDriver()
    driver.acquireConnection = () =>
      Promise.resolve({
        executeQuery: ({ sql: text, parameters }) => {
          executed.push({ sql: text, parameters })
          return Promise.resolve({ rows: [], numAffectedRows: 3n })
        },
        streamQuery: () => {
          throw new Error('no rows are streamed')
        },
      })
    const db = new Kysely<Tables>({
      dialect: {
        createDriver: () => driver,
        createAdapter: () => new SqliteAdapter(),
        createQueryCompiler: () => new SqliteQueryCompiler(),
        createIntrospector: (own) => new SqliteIntrospector(own),
      },
    })
    let built = 0
    const LIST = (tools: Tools, { prefix, keys }: Given<Filter>) => {
      built += 1
      let query = tools.db.selectFrom('snapshots').select('key').where('value', '<>', 'x')
      if (prefix !== undefined)
        query = query.where(({ ref }) => tools.startsWith(ref('key'), prefix))
      return keys === undefined ? query : query.where('key', 'in', tools.listed(keys))
    }
    const runnerOn = createRunners(db, sqliteDifferences)
    return { db, runnerOn, runner: runnerOn(db), executed, LIST, built: () => built }
  }

  it('is built once for each set of parameters, also over transactions; the values are its own', async () => {
    const { db, runner, runnerOn, executed, LIST, built } = setUp()
    await runner.rows(LIST, { prefix: 'a' })
    await runner.rows(LIST, { prefix: 'b' })
    await db.transaction().execute((own) => runnerOn(own).rows(LIST, { prefix: 'c' }))
    expect(built()).toBe(1)
    expect(new Set(executed.map(({ sql: text }) => text)).size).toBe(1)
    expect(executed.map(({ parameters }) => parameters)).toEqual(
      ['a', 'b', 'c'].map((prefix) => ['x', prefix, prefix]),
    )
    await runner.rows(LIST, { prefix: 'd', keys: ['k'] })
    expect(built()).toBe(2)
  })

  it('has nothing of a parameter that is left out or undefined', async () => {
    const { runner, executed, LIST, built } = setUp()
    await runner.rows(LIST, {})
    await runner.rows(LIST, { prefix: undefined })
    expect(built()).toBe(1)
    const text = 'select "key" from "snapshots" where "value" <> ?'
    expect(executed).toEqual(Array(2).fill({ sql: text, parameters: ['x'] }))
  })

  it('takes a list of any length as one parameter', async () => {
    const { runner, executed, LIST, built } = setUp()
    for (const keys of [[], ['a'], ['a', '"b"']]) await runner.rows(LIST, { keys })
    expect(built()).toBe(1)
    expect(executed.map(({ parameters }) => parameters[1])).toEqual([
      '[]',
      '["a"]',
      '["a","\\"b\\""]',
    ])
  })

  it('binds null like any value, and says how many rows it changed', async () => {
    const { runner, executed } = setUp()
    const DECIDE = (
      { db }: Tools,
      { id, ...set }: Given<{ id: string; reason: string | null; decidedAt?: number }>,
    ) => db.updateTable('approvals').set(set).where(sql.ref('id'), '=', id)
    expect(await runner.change(DECIDE, { id: 'a', reason: null })).toBe(3)
    expect(executed).toEqual([
      { sql: 'update "approvals" set "reason" = ? where "id" = ?', parameters: [null, 'a'] },
    ])
  })
})
