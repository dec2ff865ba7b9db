import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { readRecord, writeRecord } from '../../../../src/surfaces/web/record.ts'

const folder = mkdtempSync(join(tmpdir(), 'e-record-'))
const file = join(folder, 'web.json')
afterAll(() => rmSync(folder, { recursive: true }))

const session = { resume: 'r', link: 'l', page: 'p', readOnly: true, expiresAt: 5 }

it('is read as it was written', async () => {
  const record = { port: 4000, sessions: [session] }
  await writeRecord(file, record)
  expect(await readRecord(file)).toEqual(record)
})

it('of a daemon of before keeps the port, and lets in nobody without a page key', async () => {
  const { page: _page, ...before } = session
  writeFileSync(file, JSON.stringify({ port: 4000, sessions: [before, session, 7] }))
  expect(await readRecord(file)).toEqual({ port: 4000, sessions: [session] })
})

it.each(['', '{', '{"port":"x","sessions":[]}', 'null'])(
  'that is none has nothing: %s',
  async (text) => {
    writeFileSync(file, text)
    expect(await readRecord(file)).toEqual({ port: null, sessions: [] })
  },
)
