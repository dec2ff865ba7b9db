import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openSqliteStore } from '../../../src/adapters/store/sqlite/open.ts'
import type { AgentId } from '../../../src/domain/ids.ts'
import { silentLog } from '../../../src/runtime/log.ts'

const MIGRATIONS = readdirSync(
  fileURLToPath(new URL('../../../src/adapters/store/sqlite/migrations', import.meta.url)),
)
  .map((file) => file.replace(/\.ts$/, ''))
  .toSorted()
const PROGRAM = fileURLToPath(new URL('../../fixtures/store-writer.ts', import.meta.url))

describe('the SQLite store and several processes', () => {
  let folder: string
  const children: ChildProcess[] = []

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'store-'))
  })
  afterEach(async () => {
    for (const child of children.splice(0)) await end(child)
    rmSync(folder, { recursive: true })
  })

  function start(...args: string[]): {
    child: ChildProcess
    lines: AsyncIterator<string>
    say: (line: string) => void
  } {
    const child = spawn(process.execPath, [PROGRAM, ...args], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    children.push(child)
    if (child.stdout === null || child.stdin === null) throw new Error('The child has pipes')
    const { stdin } = child
    return {
      child,
      lines: createInterface({ input: child.stdout })[Symbol.asyncIterator](),
      say: (line) => void stdin.write(`${line}\n`),
    }
  }

  it('is set up once where many open a fresh file at the same moment, and all of them can write', async () => {
    const writers = Array.from({ length: 8 }, () => start('open'))
    for (const { lines } of writers) expect(await next(lines)).toBe('ready')
    for (let round = 0; round < 12; round++) {
      const file = join(folder, `store-${round}.db`)
      for (const { say } of writers) say(file)
      expect(await Promise.all(writers.map(({ lines }) => next(lines)))).toEqual(
        writers.map(() => 'ok'),
      )
      const connection = new Database(file, { readonly: true })
      expect(connection.prepare('select count(*) as count from events').get()).toEqual({
        count: writers.length,
      })
      expect(connection.prepare('select name from kysely_migration order by name').all()).toEqual(
        MIGRATIONS.map((name) => ({ name })),
      )
      connection.close()
    }
  })

  it('has everything it acknowledged, and nothing by halves, after kill -9 at any moment', async () => {
    const file = join(folder, 'store.db')
    const acknowledged: { seq: number; to: AgentId }[] = []
    for (let round = 0; round < 6; round++) {
      const { child, lines } = start('write', file)
      const killAfter = 1 + Math.floor(Math.random() * 300)
      for (let line = await next(lines); line !== undefined; line = await next(lines)) {
        const [seq, to] = line.split(' ')
        acknowledged.push({ seq: Number(seq), to: to as AgentId })
        if (acknowledged.length % killAfter === 0) child.kill('SIGKILL')
      }
      await end(child)
    }
    const store = await openSqliteStore({ file, log: silentLog() })
    const events = new Set((await store.events.list({})).map(({ seq }) => seq))
    const deliveries = new Set((await store.outbox.list({})).map(({ eventSeq }) => eventSeq))
    const mail = new Set<string>()
    for (const to of new Set(acknowledged.map((row) => row.to)))
      for (const { message } of await store.mail.peek(to)) mail.add(message)
    await store.close()
    expect(acknowledged.length).toBeGreaterThanOrEqual(6)
    expect(
      acknowledged.filter(
        ({ seq }) => !events.has(seq) || !deliveries.has(seq) || !mail.has(String(seq)),
      ),
    ).toEqual([])
    expect(deliveries).toEqual(events)
    const connection = new Database(file, { readonly: true })
    expect(connection.pragma('integrity_check')).toEqual([{ integrity_check: 'ok' }])
    connection.close()
  })
})

async function next(lines: AsyncIterator<string>): Promise<string | undefined> {
  const result = await lines.next()
  return result.done === true ? undefined : result.value
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}
