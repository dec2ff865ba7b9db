import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { inspectStore, listBackups, restoreBackup } from '../../src/adapters/store/sqlite/backup.ts'
import { openSqliteStore } from '../../src/adapters/store/sqlite/open.ts'
import { silentLog } from '../../src/log.ts'
import { makeAgent } from '../unit/core/make-agent.ts'

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
  expect(listed.map(({ at }) => new Date(at).toISOString().slice(11, 16))).toEqual(['11:00', '10:50', '10:40', '10:30', '10:20'])
  expect(await inspectStore(file)).toMatchObject({ kind: 'sound', agents: 8 })

  const kept = await restoreBackup(listed[1]?.file ?? '', file, backups, now)
  const restored = await openSqliteStore({ file, log: silentLog() })
  expect((await restored.agents.list()).map(({ name }) => name)).toEqual(['agent-0', 'agent-1', 'agent-2', 'agent-3', 'agent-4', 'agent-5'])
  await restored.close()
  expect(await inspectStore(kept ?? '')).toMatchObject({ kind: 'sound', agents: 8 })
})

it('tells a store that is missing, empty, damaged or sound apart without changing it', async () => {
  const { file } = place()
  expect(await inspectStore(file)).toEqual({ kind: 'missing' })
  writeFileSync(file, '')
  expect(await inspectStore(file)).toEqual({ kind: 'empty' })
  writeFileSync(file, 'x'.repeat(5000))
  expect(await inspectStore(file)).toMatchObject({ kind: 'damaged', reason: expect.stringContaining('not a database') })
  rmSync(file)
  const store = await openSqliteStore({ file, log: silentLog() })
  expect(await inspectStore(file)).toEqual({ kind: 'empty' })
  await store.agents.insert(makeAgent({ state: 'running' }))
  expect(await inspectStore(file)).toEqual({ kind: 'sound', agents: 1, live: 1 })
  await store.close()
})
