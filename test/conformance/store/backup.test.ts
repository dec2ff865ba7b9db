import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import {
  backUp,
  inspectStore,
  listBackups,
  restoreBackup,
} from '../../../src/adapters/store/sqlite/backup.ts'
import { openConnection } from '../../../src/adapters/store/sqlite/connection.ts'
import { openSqliteStore } from '../../../src/adapters/store/sqlite/open.ts'
import { silentLog } from '../../../src/runtime/log.ts'
import { makeAgent } from '../../unit/core/make-agent.ts'

function place() {
  const folder = mkdtempSync(join(tmpdir(), 'b-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return { file: join(folder, 'store.db'), backups: join(folder, 'backups') }
}

it('keeps the newest five, in order, and what was committed when each was made', async () => {
  const { file, backups } = place()
  let now = Date.parse('2026-11-24T10:00:00.000Z')
  const store = await openSqliteStore({ file, log: silentLog(), clock: () => now })
  for (let number = 0; number < 7; number++) {
    await store.agents.insert(makeAgent({ name: `agent-${number}` }))
    await store.backUp(backups)
    now += 600_000
  }
  await store.agents.insert(makeAgent({ name: 'later' }))
  await store.close()
  const listed = await listBackups(backups)
  expect(listed.map(({ at }) => new Date(at).toISOString().slice(11, 16))).toEqual([
    '11:00',
    '10:50',
    '10:40',
    '10:30',
    '10:20',
  ])
  expect(await inspectStore(file)).toMatchObject({ kind: 'sound', agents: 8 })
  expect(readdirSync(backups)).toHaveLength(5)

  const kept = await restoreBackup(listed[1]?.file ?? '', file, backups, now)
  const restored = await openSqliteStore({ file, log: silentLog() })
  expect((await restored.agents.list()).map(({ name }) => name)).toEqual([
    'agent-0',
    'agent-1',
    'agent-2',
    'agent-3',
    'agent-4',
    'agent-5',
  ])
  await restored.close()
  expect(await inspectStore(kept ?? '')).toMatchObject({ kind: 'sound', agents: 8 })
})

it('takes away what a kill left of one that was being made', async () => {
  const { file, backups } = place()
  const store = await openSqliteStore({ file, log: silentLog() })
  const first = await store.backUp(backups)
  for (const ending of ['.part', '.part-journal']) writeFileSync(`${first}${ending}`, 'half')
  await store.backUp(backups)
  await store.close()
  expect(readdirSync(backups).filter((name) => !name.endsWith('.db'))).toEqual([])
})

it('distinguishes a store that is missing, empty, damaged or sound without changing it', async () => {
  const { file } = place()
  expect(await inspectStore(file)).toEqual({ kind: 'missing' })
  writeFileSync(file, '')
  expect(await inspectStore(file)).toEqual({ kind: 'empty' })
  writeFileSync(file, 'x'.repeat(5000))
  expect(await inspectStore(file)).toMatchObject({
    kind: 'damaged',
    reason: expect.stringContaining('not a database'),
  })
  rmSync(file)
  const store = await openSqliteStore({ file, log: silentLog() })
  expect(await inspectStore(file)).toEqual({ kind: 'empty' })
  await store.agents.insert(makeAgent({ state: 'running' }))
  expect(await inspectStore(file)).toEqual({ kind: 'sound', agents: 1, live: 1 })
  await store.close()
})

it.each([
  ['is not there', (_file: string) => {}, /it is not there/],
  [
    'is no store',
    (file: string) => writeFileSync(file, 'no database at all'.repeat(1000)),
    /not a database/,
  ],
  ['has nothing in it', (file: string) => writeFileSync(file, ''), /there is nothing in it/],
  ['is a folder', (file: string) => mkdirSync(file), /./],
] as const)('leaves the store where it is when the backup %s', async (_what, make, reason) => {
  const { file, backups } = place()
  const store = await openSqliteStore({ file, log: silentLog() })
  await store.agents.insert(makeAgent({ name: 'kept' }))
  await store.close()
  make(`${file}.old`)
  await expect(restoreBackup(`${file}.old`, file, backups, 1)).rejects.toMatchObject({
    code: 'INVALID_ARG',
    message: expect.stringMatching(reason),
  })
  expect(await inspectStore(file)).toMatchObject({ kind: 'sound', agents: 1 })
})

it('refuses a store that is damaged in its middle, and lets it push out no sound backup', async () => {
  const { file, backups } = place()
  const store = await openSqliteStore({ file, log: silentLog() })
  for (let number = 0; number < 200; number++)
    await store.agents.insert(makeAgent({ name: `agent-${number}`, task: 'x'.repeat(2000) }))
  const sound = await store.backUp(backups)
  await store.close()
  const bytes = readFileSync(file)
  bytes.fill(0x5a, Math.floor(bytes.length / 2), Math.floor(bytes.length / 2) + 40_000)
  writeFileSync(file, bytes)
  await expect(openSqliteStore({ file, log: silentLog() })).rejects.toMatchObject({
    code: 'STORE_CORRUPT',
    message: expect.stringContaining('exomonad store restore'),
  })
  const connection = await openConnection(file, 1000)
  await expect(backUp(connection, backups, Date.now() + 1)).rejects.toMatchObject({
    code: 'STORE_CORRUPT',
  })
  connection.close()
  expect((await listBackups(backups)).map((backup) => backup.file)).toEqual([sound])
  expect(readdirSync(backups)).toHaveLength(1)
})

it('is not made where the state folder is no more: of a moved repository nothing comes back there', async () => {
  const { file, backups } = place()
  const store = await openSqliteStore({ file, log: silentLog(), clock: () => 0 })
  onTestFinished(() => store.close())
  const gone = join(backups, 'repository', '.git', 'exomonad', 'backups')
  await expect(store.backUp(gone)).rejects.toThrow('ENOENT')
  expect(await listBackups(backups)).toEqual([])
})
