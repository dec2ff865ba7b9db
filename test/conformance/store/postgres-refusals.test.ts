import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { MIGRATIONS } from '../../../src/adapters/store/postgres/migrate.ts'
import { startPooler } from '../../helpers/pgbouncer.ts'
import { type Server, startPostgres, whyNoPostgres } from '../../helpers/postgres.ts'
import { mountSmallDisk, unmountSmallDisk, whyNoDisk } from '../../helpers/small-disk.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import { openAt, type Place, placeOn } from './postgres-store.ts'
import { agentRow, mailRow } from './rows.ts'

/** What a server may be or say that is not as it should be: each is said, and nothing is half made. */
describe.skipIf(whyNoPostgres() !== null)('a PostgreSQL store is not opened', () => {
  let server: Server
  beforeAll(async () => {
    server = await startPostgres()
    await server.sql(
      "create role locked login password 'right'; create role plain login; create role few login connection limit 1; grant create on database postgres to few",
    )
  })
  afterAll(async () => server?.dispose())

  const refusal = async (
    place: Place,
    options = {},
  ): Promise<{ code: string; message: string }> => {
    try {
      const store = await openAt(place, options)
      await store.close()
    } catch (error) {
      return error as { code: string; message: string }
    }
    throw new Error('it was opened')
  }
  const schemas = async (): Promise<unknown[]> =>
    server.sql("select nspname from pg_namespace where nspname like 'tree_%' order by 1")

  it.each([
    ['nobody listens', () => 'host=/nowhere dbname=x', /no server listens there.*Start it/],
    ['there is no such host', () => 'host=nowhere.invalid', /name is not known/],
    [
      'there is no such database',
      () => server.url({ database: 'nothing' }),
      /"nothing" does not exist.*createdb/,
    ],
    [
      'the password is wrong',
      () => server.url({ user: 'locked', password: 'wrong' }),
      /refuses the user or password/,
    ],
    ['there is no password', () => server.url({ user: 'locked' }), /wants a password/],
    [
      'the role may not make the schema',
      () => server.url({ user: 'plain' }),
      /the role plain may not make the schema tree_\w+.*create schema "tree_\w+" authorization "plain"/,
    ],
    [
      'it has no connection left',
      () => server.url({ user: 'few' }),
      /no connection left.*needs two/,
    ],
  ])('where %s', async (_what, url, words) => {
    const before = await schemas()
    const { code, message } = await refusal(placeOn(server, url()))
    expect([code, message]).toEqual(['STORE_UNAVAILABLE', expect.stringMatching(words)])
    expect(message).not.toContain('wrong@')
    expect(await schemas()).toEqual(before)
  })

  it('where its tables are of a newer exomonad; older ones are brought up to date', async () => {
    const place = placeOn(server)
    const newer = {
      ...MIGRATIONS,
      '9999-test': {
        up: async (db: Parameters<(typeof MIGRATIONS)['']['up']>[0]) => {
          await sql`alter table agents add column fresh text`.execute(db)
        },
      },
    }
    const first = await openAt(place)
    const agent = agentRow()
    await first.agents.insert(agent)
    await first.close()
    const second = await openAt(place, { migrations: newer })
    expect(await second.agents.list()).toEqual([agent])
    await second.close()
    expect(await server.sql(`select fresh from ${place.schema}.agents`)).toEqual([{ fresh: null }])
    expect(await refusal(place)).toMatchObject({
      code: 'STORE_TOO_NEW',
      message: expect.stringMatching(/version 9999.*up to 3\b/),
    })
  })

  it('where a migration fails, of which nothing stays', async () => {
    const place = placeOn(server)
    const broken = {
      ...MIGRATIONS,
      '9999-test': {
        up: async (db: Parameters<(typeof MIGRATIONS)['']['up']>[0]) => {
          await sql`create table half (id int)`.execute(db)
          await sql`select 1 / 0`.execute(db)
        },
      },
    }
    await refusal(place, { migrations: broken })
    expect(
      await server.sql(
        `select tablename from pg_tables where schemaname = '${place.schema}' and tablename in ('half', 'agents')`,
      ),
    ).toEqual([])
    await (await openAt(place)).close()
  })

  it('where it is the tree of another repository, which is left as it is', async () => {
    const place = placeOn(server)
    const first = await openAt(place)
    await first.agents.insert(agentRow())
    await first.close()
    const other = { ...place, tree: { ...place.tree, id: 'other', home: '/work/there' } }
    expect(await refusal(other)).toMatchObject({
      code: 'STORE_LOST',
      message: expect.stringMatching(
        /tree of another repository: \/work\/here on this-host.*\[store\] schema.*drop schema/s,
      ),
    })
    const again = await openAt({ ...place, tree: { ...place.tree, home: '/work/moved' } })
    expect(await again.agents.list()).toHaveLength(1)
    await again.close()
  })

  it('where its encoding can’t hold all texts', async () => {
    await server.sql("create database narrow encoding 'SQL_ASCII' locale 'C' template template0")
    const place = placeOn(server, server.url({ database: 'narrow' }))
    expect(await refusal(place)).toMatchObject({
      message: expect.stringMatching(/encoding is SQL_ASCII.*createdb --encoding UTF8/),
    })
  })

  it('through a pooler that gives each transaction another connection', async () => {
    const database = 'pooled'
    await server.sql(`create database ${database}`)
    const pooler = await startPooler(server, database)
    onTestFinished(() => pooler.stop())
    const place = placeOn(server, `postgresql://owner@/${database}?host=${pooler.folder}&port=6432`)
    expect(await refusal(place)).toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringMatching(
        /LISTEN and NOTIFY don’t get through.*PgBouncer in transaction mode/,
      ),
    })
    expect(
      await server.sql("select nspname from pg_namespace where nspname like 'tree_%'", database),
    ).toEqual([])
  })
})

describe.skipIf(whyNoPostgres() !== null)('a PostgreSQL store', () => {
  let server: Server
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(async () => server?.dispose())

  it('goes by the daemon’s clock alone, whatever that of the server says', async () => {
    const hour = 3_600_000
    let now = Date.now() - hour
    const place = placeOn(server)
    const store = await openAt(place, { clock: () => now })
    const mail = mailRow(agentRow().id)
    await store.mail.send(mail)
    await store.deadlines.set('soon', now + 1, {})
    expect(await store.deadlines.due(now)).toEqual([])
    expect(await store.deadlines.due(now + 1)).toHaveLength(1)
    await store.mail.pop(mail.to)
    await store.mail.confirm([mail.id])
    // A day by this clock, though not by the server’s.
    now += 24 * hour - 1
    await store.mail.send(mailRow(mail.to))
    await store.mail.pop(mail.to)
    await store.mail.giveBack([mail.id])
    expect(await store.mail.peek(mail.to)).toHaveLength(1)
    await store.close()
  })

  it.skipIf(whyNoDisk() !== null)(
    'on a full disk takes nothing by halves, loses nothing, and goes on when there is room',
    async () => {
      const disk = join(server.folder, 'disk')
      mkdirSync(disk)
      mountSmallDisk(disk, 24)
      onTestFinished(() => unmountSmallDisk(disk))
      const inner = join(disk, 'space')
      mkdirSync(inner)
      server.give(inner)
      await server.sql(`create tablespace small location '${inner}'`)
      await server.sql('create database small tablespace small')
      const store = await openAt(placeOn(server, server.url({ database: 'small' })))
      const agent = agentRow()
      await store.agents.insert(agent)
      const filling = async (): Promise<void> => {
        for (;;)
          await store.transaction(async (tx) => {
            await tx.agents.update(agent.id, { tokens: 99 })
            // What compresses to nothing fills no disk.
            await tx.snapshots.put(agentRow().id, { text: randomText(400_000) })
          })
      }
      await expect(filling()).rejects.toMatchObject({ code: 'DISK_FULL' })
      await store.transaction((tx) => tx.agents.update(agent.id, { tokens: 1 })).catch(() => {})
      const kept = await store.snapshots.keys('')
      for (const key of kept.slice(0, 3)) await store.snapshots.remove(key).catch(() => {})
      await server.sql('vacuum full', 'small').catch(() => {})
      await waitFor('room again', () =>
        store.agents.update(agent.id, { tokens: 2 }).then(() => true),
      )
      expect(await store.agents.list()).toEqual([{ ...agent, tokens: 2 }])
      await store.close()
    },
  )
})

function randomText(length: number): string {
  let text = ''
  while (text.length < length) text += Math.random().toString(36).slice(2)
  return text
}
