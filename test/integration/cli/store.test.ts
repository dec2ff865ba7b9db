import { createHash } from 'node:crypto'
import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import { type Server, startPostgres, whyNoPostgres } from '../../helpers/postgres.ts'
import { waitFor } from '../../helpers/wait-for.ts'

/** `exomonad store`: a tree that begins on SQLite and goes on, agents and all, on PostgreSQL. */
describe.skipIf(whyNoPostgres() !== null)('exomonad store', () => {
  let server: Server
  let tree: Exomonad
  beforeAll(async () => {
    server = await startPostgres()
    tree = await startExomonad()
  })
  afterAll(async () => {
    await tree?.stop()
    await server?.dispose()
  })
  const database = (): string => join(tree.state, 'store.db')
  const hashOf = (file: string): string =>
    createHash('sha256').update(readFileSync(file)).digest('hex')

  it('shows a SQLite store, and checks it', async () => {
    const status = await tree.command(['store', 'status', '--json'])
    expect(status.json).toMatchObject({
      kind: 'sqlite',
      place: database(),
      daemon: expect.any(Number),
    })
    expect(await tree.command(['store', 'check'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('✓ file: sound'),
    })
  })

  it('moves everything to PostgreSQL, with the same hashes, and leaves the file as it was', async () => {
    tree.script('kept', {
      steps: [
        {
          do: 'tool',
          name: 'send',
          input: { to: '${env.EXOMONAD_PARENT_ID}', message: 'nul and ü' },
        },
      ],
    })
    await tree.call('spawn_workers', { specs: [{ name: 'kept', prompt: 'x' }] })
    await tree.logged('kept', 'its mail to be sent', ({ kind }) => kind === 'tool')
    // One that has something to report waits a minute for a daemon.
    const before = await waitFor('it to rest', async () => {
      const agent = await tree.agent('kept')
      return agent.state === 'idle' && agent
    })
    expect(await tree.command(['store', 'move', server.url()])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/daemon stop/),
    })
    await tree.command(['daemon', 'stop'])
    const hash = hashOf(database())
    expect(await tree.command(['store', 'move', 'host=/nowhere'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no server listens there'),
    })
    const moved = await tree.run(['store', 'move', server.url(), '--json'])
    expect(moved.json).toMatchObject({ moved: true, from: database() })
    expect(
      moved.json.tables.find(({ table }: { table: string }) => table === 'mail'),
    ).toMatchObject({
      rows: 1,
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    expect(hashOf(database())).toBe(hash)
    // A second time there is something in the way.
    expect(await tree.command(['store', 'move', server.url()])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/something in .* already.*nothing was moved/s),
    })

    const url = join(tree.repository.home, 'url')
    writeFileSync(url, server.url(), { mode: 0o600 })
    const config = join(tree.repository.path, '.exomonad', 'config.toml')
    appendFileSync(config, '\n[store]\nkind = "postgres"\nurl_file = "~/url"\n')
    await tree.command(['daemon', 'start'])
    expect(await tree.agent('kept')).toMatchObject({ id: before.id, pid: before.pid })
    expect(JSON.stringify(await tree.call('inbox'))).toContain('nul and ü')
    // Numbers go on where they were.
    const seqs = (await tree.events()).map(({ seq }) => seq)
    expect(new Set(seqs).size).toBe(seqs.length)
    expect(hashOf(database())).toBe(hash)
  })

  it('shows and checks the one on PostgreSQL, also while the server is away', async () => {
    const status = await tree.command(['store', 'status'])
    expect(status.stdout).toMatch(/PostgreSQL 15.*schema exomonad_/)
    expect(status.stdout).toMatch(/held by\s+process \d+/)
    const check = await tree.run(['store', 'check'])
    expect([check.code, check.stdout]).toEqual([
      0,
      expect.stringMatching(/✓ notifications.*✓ schema.*✓ tree: this repository’s.*✓ rows/s),
    ])
    expect((await tree.command(['store', 'list'])).stdout).toContain('pg_dump')
    expect((await tree.command(['doctor'])).stdout).toMatch(/notifications: LISTEN and NOTIFY/)
    await server.kill()
    expect(await tree.command(['store', 'check'])).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/✗ connection: .*no server listens there/),
    })
    expect(await tree.command(['store', 'status'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('STORE_UNAVAILABLE'),
    })
    await server.start()
    await waitFor('the store to be back', () => tree.tree(), { limit: 60_000 })
  })

  it('is in a backup as it is, whole, and restored where it can be moved from', async () => {
    const file = join(tree.repository.folder, 'tree.tar.gz')
    // So that nothing is written between the two looks.
    await tree.command(['daemon', 'stop'])
    expect((await tree.run(['backup', file])).code).toBe(0)
    const folder = join(tree.repository.folder, 'unpacked')
    mkdirSync(folder)
    execFileSync('tar', ['-xzf', file, '-C', folder])
    const copy = new Database(join(folder, 'store.db'), { readonly: true })
    const [row] = await server.sql(
      "select nspname from pg_namespace where nspname like 'exomonad_%'",
    )
    const schema = String(row?.['nspname'])
    for (const table of ['agents', 'events', 'mail', 'deliveries', 'kysely_migration']) {
      const [there] = await server.sql(`select count(*) as count from ${schema}.${table}`)
      const { count } = copy.prepare(`select count(*) as count from ${table}`).get() as {
        count: number
      }
      if (table === 'kysely_migration') expect(count).toBeGreaterThan(0)
      else expect([table, count]).toEqual([table, Number(there?.['count'])])
    }
    const { seq } = copy.prepare("select seq from sqlite_sequence where name = 'events'").get() as {
      seq: number
    }
    copy.close()
    const [newest] = await server.sql(`select max(seq) as seq from ${schema}.events`)
    expect(seq).toBe(Number(newest?.['seq']))
  })

  it('is set aside with `down --force` where it is not this tree’s any more, which begins anew', async () => {
    await tree.command(['daemon', 'stop'])
    const [row] = await server.sql(
      "select nspname from pg_namespace where nspname like 'exomonad_%'",
    )
    await server.sql(`update ${String(row?.['nspname'])}.tree set id = 'another'`)
    expect(await tree.command(['daemon', 'start'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('STORE_LOST'),
    })
    const forced = await tree.run(['down', '--force'])
    expect([forced.code, forced.stdout]).toEqual([
      0,
      expect.stringMatching(/kept as exomonad_\w+_lost_/),
    ])
    expect((await tree.command(['daemon', 'start'])).code).toBe(0)
    expect(await tree.agent('kept')).toBeUndefined()
  })

  it('refuses an address in the configuration, and says where it belongs', async () => {
    const config = join(tree.repository.path, '.exomonad', 'config.toml')
    appendFileSync(config, 'url = "postgresql://me:secret@host/db"\n')
    const said = await tree.command(['config', 'check'])
    expect(`${said.stdout}${said.stderr}`).toMatch(
      /store\.url.*url_file, or set EXOMONAD_STORE_URL/s,
    )
  })
})
