import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { acquireInstanceLock } from '../../../src/adapters/machine/instance-lock.ts'
import { tempFolder } from '../../unit/adapters/machine/temp-folder.ts'

const PROGRAM = fileURLToPath(new URL('../../fixtures/programs/hold-lock.ts', import.meta.url))

/** A process that takes the lock, or is refused and ends. */
async function contender(file: string): Promise<{
  child: ChildProcessByStdio<Writable, Readable, null>
  answer: { kind: string; pid?: number | null }
}> {
  const child = spawn(process.execPath, [PROGRAM, file], { stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  let text = ''
  for await (const chunk of child.stdout.setEncoding('utf8')) {
    text += chunk as string
    if (text.includes('\n')) break
  }
  return { child, answer: JSON.parse(text) as { kind: string } }
}

describe('the instance lock', () => {
  it('is held by one process, and a kill -9 frees it', async () => {
    const file = join(tempFolder(), 'daemon.lock')
    const first = await contender(file)
    expect(first.answer.kind).toBe('acquired')
    expect((await contender(file)).answer).toEqual({ kind: 'held', pid: first.child.pid })
    expect(acquireInstanceLock(file)).toEqual({ kind: 'held', pid: first.child.pid })

    first.child.kill('SIGKILL')
    await once(first.child, 'exit')
    expect(readFileSync(`${file}.pid`, 'utf8').trim()).toBe(String(first.child.pid))
    const next = await contender(file)
    expect(next.answer.kind).toBe('acquired')
    expect((await contender(file)).answer).toEqual({ kind: 'held', pid: next.child.pid })
  })

  it('goes to exactly one of many that start at once', async () => {
    const file = join(tempFolder(), 'daemon.lock')
    const all = await Promise.all(Array.from({ length: 6 }, () => contender(file)))
    expect(all.filter(({ answer }) => answer.kind === 'acquired')).toHaveLength(1)
  })

  it('can be released and taken again, also in one process', async () => {
    const file = join(tempFolder(), 'daemon.lock')
    const lock = acquireInstanceLock(file)
    if (lock.kind !== 'acquired') throw new Error('not acquired')
    expect(acquireInstanceLock(file)).toEqual({ kind: 'held', pid: process.pid })
    expect((await contender(file)).answer).toEqual({ kind: 'held', pid: process.pid })
    lock.release()
    lock.release()
    expect(existsSync(`${file}.pid`)).toBe(false)
    const other = await contender(file)
    expect(other.answer.kind).toBe('acquired')
    other.child.stdin.end()
    await once(other.child, 'exit')
    const again = acquireInstanceLock(file)
    expect(again.kind).toBe('acquired')
    if (again.kind === 'acquired') again.release()
  })

  it('says so where the file is no lock, or its folder is missing', () => {
    const folder = tempFolder()
    writeFileSync(
      join(folder, 'text'),
      'this is a text and certainly no database file\n'.repeat(20),
    )
    expect(() => acquireInstanceLock(join(folder, 'text'))).toThrow(
      expect.objectContaining({ code: 'NOT_AVAILABLE' }) as Error,
    )
    expect(() => acquireInstanceLock(join(folder, 'missing', 'lock'))).toThrow(
      expect.objectContaining({ code: 'NOT_AVAILABLE' }) as Error,
    )
  })
})
