import {
  chmodSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openConnection } from '../../../src/adapters/store/sqlite/connection.ts'
import { createSqliteStore, openSqliteStore } from '../../../src/adapters/store/sqlite/open.ts'
import type { Store } from '../../../src/adapters/store/store.ts'
import { newAgentId } from '../../../src/domain/ids.ts'
import { silentLog } from '../../../src/runtime/log.ts'
import { agentRow, mailRow } from './rows.ts'

/** What only the SQLite implementation has: a file, other processes at it, a disk. */
describe('the SQLite store’s file', () => {
  let folder: string
  let file: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'store-'))
    file = join(folder, 'state', 'store.db')
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const open = (options: { timeout?: number; clock?: () => number } = {}): Promise<Store> =>
    openSqliteStore({ file, log: silentLog(), ...options })

  it('and all beside it are for their owner only, also where the file was not', async () => {
    mkdirSync(join(folder, 'state'))
    writeFileSync(file, '')
    chmodSync(file, 0o644)
    const store = await open()
    await store.agents.insert(agentRow())
    const modes = readdirSync(join(folder, 'state')).map((name) => [
      name,
      statSync(join(folder, 'state', name)).mode & 0o777,
    ])
    expect(Object.fromEntries(modes)).toEqual({
      'store.db': 0o600,
      'store.db-wal': 0o600,
      'store.db-shm': 0o600,
    })
    await store.close()
  })

  it('keeps mail that was taken and is not known to have arrived, however old; what arrived goes after a day', async () => {
    let now = 0
    const store = await open({ clock: () => now })
    const to = newAgentId()
    const [lost, arrived] = [mailRow(to), mailRow(to)]
    for (const mail of [lost, arrived]) await store.mail.send(mail)
    await store.mail.pop(to)
    await store.mail.confirm([arrived.id])
    now = 25 * 60 * 60 * 1000
    // Each pop takes away what is older.
    await store.mail.send(mailRow(to))
    await store.mail.pop(to)
    await store.mail.giveBack([lost.id, arrived.id])
    expect((await store.mail.peek(to)).map(({ id }) => id)).toEqual([lost.id])
    await store.close()
  })

  it('of a newer exomonad is refused, with both versions, and left as it is', async () => {
    await (await open()).close()
    const connection = new Database(file)
    connection
      .prepare(
        "insert into kysely_migration (name, timestamp) values ('0999-later', '2100-01-01T00:00:00.000Z')",
      )
      .run()
    connection.close()
    await expect(open()).rejects.toMatchObject({
      code: 'STORE_TOO_NEW',
      facts: { found: 999, known: 12 },
      message: expect.stringMatching(/version 999.*up to 12\b/),
    })
    const after = new Database(file)
    expect(after.prepare('select count(*) as count from kysely_migration').get()).toEqual({
      count: 13,
    })
    after.close()
  })

  it('of version 3 is brought up to date: what was reaped then had been cleaned away', async () => {
    const first = await open()
    const [gone, left] = [agentRow({ reapedAt: 1234 }), agentRow()]
    for (const agent of [gone, left]) await first.agents.insert(agent)
    await first.snapshots.put('forge:health', { code: 'FORGE_UNAVAILABLE' })
    await first.close()
    const older = new Database(file)
    older.exec(
      "alter table deliveries drop column reach; alter table deliveries rename column claimedAt to sentAt; alter table agents rename column stopReason to stopExcuse; alter table agents rename column stopBlocker to stopObjection; drop index deliveries_by_subject; alter table deliveries drop column subject; alter table review_comments drop column thread; alter table review_comments drop column resolved; alter table review_comments drop column startLine; alter table review_comments drop column side; drop table usage_hours; drop table runs; drop table scrollback; alter table agents drop column cleanedAt; update snapshots set key = 'forge:weather'; delete from kysely_migration where name > '0004'",
    )
    older.close()
    const store = await open()
    expect(await store.agents.list()).toEqual([{ ...gone, cleanedAt: 1234 }, left])
    expect(await store.scrollback.list(gone.id)).toEqual([])
    expect(await store.runs.get(gone.id)).toBeUndefined()
    expect(await store.snapshots.get('forge:health')).toEqual({ code: 'FORGE_UNAVAILABLE' })
    await store.close()
  })

  it('that is locked is waited for without holding up the process, then STORE_BUSY', async () => {
    const [hasty, store] = [await open({ timeout: 200 }), await open()]
    const other = new Database(file)
    other.exec('begin immediate')
    const agent = agentRow()
    await expect(hasty.agents.insert(agent)).rejects.toMatchObject({
      code: 'STORE_BUSY',
      message: expect.stringContaining('exomonad ps'),
    })
    await expect(hasty.transaction((tx) => tx.agents.insert(agent))).rejects.toMatchObject({
      code: 'STORE_BUSY',
    })
    const waiting = store.agents.insert(agent)
    await turn()
    // Only possible because the wait is not the process's.
    other.exec('commit')
    await waiting
    expect(await store.agents.get(agent.id)).toEqual(agent)
    other.close()
    await store.close()
    await hasty.close()
  })

  it('that is locked while it is opened is STORE_BUSY too', async () => {
    mkdirSync(join(folder, 'state'))
    const other = new Database(file)
    other.exec('begin exclusive; create table taken (id integer)')
    await expect(open({ timeout: 100 })).rejects.toMatchObject({ code: 'STORE_BUSY' })
    other.exec('rollback')
    other.close()
    await (await open()).close()
  })

  it('that is not a store, or is damaged, is said to be, with the file and what is safe', async () => {
    mkdirSync(join(folder, 'state'))
    writeFileSync(file, 'this is no database, '.repeat(100))
    const corrupt = { code: 'STORE_CORRUPT', message: expect.stringContaining(file) }
    await expect(open()).rejects.toMatchObject(corrupt)
    rmSync(file)

    const store = await open()
    await store.transaction(async (tx) => {
      for (let count = 0; count < 200; count++) await tx.agents.insert(agentRow())
    })
    await store.close()
    const descriptor = openSync(file, 'r+')
    for (let offset = 4096; offset < statSync(file).size; offset += 4096)
      writeSync(descriptor, Buffer.alloc(4096, 0xff), 0, 4096, offset)
    closeSync(descriptor)
    await expect(
      open().then((damaged) => damaged.agents.list().finally(() => damaged.close())),
    ).rejects.toMatchObject(corrupt)
  })

  it('that cannot be written is NOT_AVAILABLE with the reason', async () => {
    mkdirSync(file, { recursive: true })
    await expect(open()).rejects.toMatchObject({
      code: 'NOT_AVAILABLE',
      message: expect.stringContaining(file),
    })
  })

  it('on a full disk takes nothing by halves, loses nothing, and goes on when there is room', async () => {
    const connection = await openConnection(file, 1000)
    const store = await createSqliteStore({
      connection,
      file,
      log: silentLog(),
      clock: Date.now,
      backups: null,
      timeout: 1000,
    })
    const first = agentRow()
    await store.agents.insert(first)
    const pages = Number(connection.pragma('page_count', { simple: true }))
    connection.pragma(`max_page_count = ${pages + 4}`)
    const tooMuch = (tx: Pick<Store, 'agents'>, id = newAgentId()): Promise<void> =>
      tx.agents.insert(agentRow({ id, task: 'x'.repeat(100_000) }))
    const called: string[] = []
    const failing = store.transaction(async (tx) => {
      tx.afterCommit(() => called.push('never'))
      await tx.agents.update(first.id, { tokens: 99 })
      await tooMuch(tx)
    })
    await expect(failing).rejects.toMatchObject({ code: 'DISK_FULL' })
    const stubborn = store.transaction(async (tx) => {
      await tx.agents.update(first.id, { tokens: 99 })
      await tooMuch(tx).catch(() => {})
      await tx.agents.update(first.id, { toolCalls: 99 }).catch(() => {})
    })
    await expect(stubborn).rejects.toMatchObject({ code: 'DISK_FULL' })
    await expect(tooMuch(store)).rejects.toMatchObject({ code: 'DISK_FULL' })
    expect(await store.agents.list()).toEqual([first])
    connection.pragma('max_page_count = 1000000')
    await tooMuch(store)
    expect(await store.agents.list()).toHaveLength(2)
    expect(called).toEqual([])
    await store.close()
  })

  it('takes nothing more in a transaction that SQLite ended by itself', async () => {
    const connection = await openConnection(file, 1000)
    const store = await createSqliteStore({
      connection,
      file,
      log: silentLog(),
      clock: Date.now,
      backups: null,
      timeout: 1000,
    })
    const agent = agentRow()
    const failing = store.transaction(async (tx) => {
      await tx.agents.insert(agent)
      // As SQLite does on some faults of the disk.
      connection.exec('rollback')
      await expect(tx.agents.insert(agent)).rejects.toThrow('ended by SQLite')
    })
    await expect(failing).rejects.toMatchObject({ code: 'INTERNAL' })
    expect(await store.agents.list()).toEqual([])
    await store.agents.insert(agent)
    await store.close()
  })

  it('loses no read-then-write of two that have it open', async () => {
    const stores = [await open(), await open()]
    const raise = (store: Store): Promise<void> =>
      store.transaction(async (tx) => {
        const count = Number((await tx.snapshots.get('count'))?.['count'] ?? 0)
        await turn()
        await tx.snapshots.put('count', { count: count + 1 })
      })
    await Promise.all(stores.flatMap((store) => Array.from({ length: 25 }, () => raise(store))))
    expect(await stores[0]?.snapshots.get('count')).toEqual({ count: 50 })
    for (const store of stores) await store.close()
  })

  it('forgets popped mail that arrived after a day and ended journal entries after a month, nothing else', async () => {
    const day = 24 * 60 * 60 * 1000
    let now = 100 * day
    const clock = (): number => now
    const store = await open({ clock })
    const to = newAgentId()
    const [old, lost, young, waiting] = [mailRow(to), mailRow(to), mailRow(to), mailRow(to)]
    for (const mail of [old, lost]) await store.mail.send(mail)
    await store.mail.pop(to)
    await store.mail.confirm([old.id])
    for (const id of ['open', 'done'])
      await store.journal.begin({ id, kind: 'spawn', step: 'begin', data: {}, startedAt: now })
    await store.journal.finish('done', 'done')
    now += 2 * day
    await store.mail.send(young)
    await store.mail.pop(to)
    await store.mail.send(waiting)
    await store.mail.giveBack([old.id, lost.id, young.id])
    expect(await store.mail.peek(to)).toEqual([lost, young, waiting])
    await store.close()
    now += 31 * day
    const reopened = await open({ clock })
    expect(await reopened.journal.get('done')).toBeUndefined()
    expect(await reopened.journal.get('open')).toMatchObject({ state: 'open' })
    expect(await reopened.mail.peek(to)).toEqual([lost, young, waiting])
    await reopened.close()
  })
})
