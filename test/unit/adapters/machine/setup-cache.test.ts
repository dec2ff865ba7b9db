import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { describe, expect, it } from 'vitest'
import { createSetupCache } from '../../../../src/adapters/machine/workplace/setup-cache.ts'
import { exec as realExec, type Exec } from '../../../../src/processes/exec.ts'
import { silentLog } from '../../../../src/runtime/log.ts'
import { tempFolder } from './temp-folder.ts'

const PATH = process.env['PATH'] ?? ''
const HOW = { method: 'copy', path: PATH } as const
const OUTPUTS = ['packages/a/made', 'packages/b/made', 'packages/c/made']

/** A cache, a worktree whose outputs are kept in it as `hash`, and a folder of somebody else’s. */
async function world(exec: Exec = realExec) {
  const root = tempFolder()
  const [folder, outside] = [join(root, 'cache'), join(root, 'outside')]
  const write = (...parts: string[]): void => {
    mkdirSync(dirname(join(root, ...parts)), { recursive: true })
    writeFileSync(join(root, ...parts), parts.join(' '))
  }
  const cache = createSetupCache({
    ...{ folder, exec, log: silentLog() },
    trash: { folder: join(root, 'trash'), empty: () => {} },
  })
  const keep = (hash: string, worktree: string, outputs: readonly string[], entries = 9) =>
    cache.keep(hash, {
      ...{ ...HOW, worktree: join(root, worktree), outputs },
      bounds: { bytes: 1e9, entries },
    })
  for (const output of OUTPUTS) write('first', output, 'kept')
  write('outside', 'made', 'precious')
  expect(await keep('hash', 'first', OUTPUTS)).toBe('kept')
  mkdirSync(join(root, 'second', 'packages'), { recursive: true })
  const restore = (worktree = 'second') =>
    cache.restore('hash', { ...HOW, worktree: join(root, worktree) })
  return { root, folder, outside, cache, write, keep, restore }
}

describe('outputs that are kept', () => {
  it('are not brought through a link of the worktree, and nothing is removed through one', async () => {
    const { root, outside, restore } = await world()
    symlinkSync(outside, join(root, 'second', 'packages', 'b'))
    expect(await restore()).toBe(false)
    expect(readdirSync(join(outside, 'made'))).toEqual(['precious'])
    expect(readdirSync(join(root, 'second', 'packages'))).toEqual(['b'])
    // The entry itself is whole: others get it.
    expect(await restore('third')).toBe(true)
    expect(existsSync(join(root, 'third', 'packages', 'c', 'made', 'kept'))).toBe(true)
  })

  it('that turn out not to be whole take away only what they began', async () => {
    const { root, folder, write, restore } = await world()
    rmSync(join(folder, 'hash', 'tree', 'packages', 'b'), { recursive: true })
    write('second', 'packages', 'c', 'made', 'own')
    expect(await restore()).toBe(false)
    expect(existsSync(join(root, 'second', 'packages', 'a', 'made'))).toBe(false)
    expect(existsSync(join(root, 'second', 'packages', 'c', 'made', 'own'))).toBe(true)
    expect(existsSync(join(folder, 'hash'))).toBe(false)
  })

  it('take nothing away through a link that came meanwhile', async () => {
    let swap = (): void => {}
    const { root, outside, restore } = await world((file, args, options) => {
      if (args.some((arg) => arg.endsWith('second/packages/b/made'))) swap()
      return realExec(file, args, options)
    })
    swap = () => {
      rmSync(join(root, 'second', 'packages'), { recursive: true, force: true })
      mkdirSync(join(root, 'second', 'packages'))
      symlinkSync(outside, join(root, 'second', 'packages', 'a'))
      rmSync(join(root, 'cache', 'hash', 'tree', 'packages', 'b'), { recursive: true, force: true })
    }
    expect(await restore()).toBe(false)
    expect(readdirSync(join(outside, 'made'))).toEqual(['precious'])
  })

  it('are not taken from behind a link, but may be one', async () => {
    const { root, folder, outside, keep } = await world()
    symlinkSync(outside, join(root, 'second', 'packages', 'a'))
    expect(await keep('other', 'second', ['packages/a/made'])).toBe('linked')
    expect(readdirSync(folder)).toEqual(['hash'])
    expect(await keep('link', 'second', ['packages/a'])).toBe('kept')
  })

  it('are kept also where several make room for theirs at once', async () => {
    const { folder, keep } = await world()
    for (let round = 0; round < 10; round++) {
      const names = [`x${round}`, `y${round}`]
      expect(await Promise.all(names.map((name) => keep(name, 'first', OUTPUTS, 3)))).toEqual([
        'kept',
        'kept',
      ])
    }
    expect(readdirSync(folder)).toHaveLength(3)
  })

  it('are kept where no room can be made for them', async () => {
    const { root, folder, keep } = await world()
    writeFileSync(join(root, 'trash'), 'no folder')
    expect(await keep('other', 'first', OUTPUTS, 1)).toBe('kept')
    expect(readdirSync(folder)).toEqual(['hash', 'other'])
  })
})

describe('a key', () => {
  const STEP = { run: ['npm', 'ci'], files: ['lock'], outputs: ['made'] }

  it('is of what its files hold, through links within the worktree too', async () => {
    const { root, cache } = await world()
    const worktree = join(root, 'first')
    expect(await cache.keyOf(worktree, STEP, PATH)).toBeNull()
    symlinkSync('real', join(worktree, 'lock'))
    const keys = []
    for (const text of ['one', 'two', 'one']) {
      writeFileSync(join(worktree, 'real'), text)
      keys.push(await cache.keyOf(worktree, STEP, PATH))
    }
    expect(keys[0]).toMatch(/^[0-9a-f]{40}$/)
    expect(keys[1]).not.toBe(keys[0])
    expect(keys[2]).toBe(keys[0])
  })

  it('is none where a file has no end, is elsewhere or too large', async () => {
    const { root, cache } = await world()
    const lock = join(root, 'first', 'lock')
    writeFileSync(join(root, 'first', 'other'), 'plain')
    const both = { ...STEP, files: ['lock', 'other'] }
    const key = () => cache.keyOf(join(root, 'first'), both, PATH)
    expect(await key()).not.toBeNull()
    execFileSync('mkfifo', [lock])
    expect(await key()).toBeNull()
    for (const place of ['/dev/zero', join(root, 'outside', 'made', 'precious')]) {
      rmSync(lock)
      symlinkSync(place, lock)
      expect(await key()).toBeNull()
    }
    rmSync(lock)
    writeFileSync(lock, 'x')
    expect(await key()).not.toBeNull()
    truncateSync(lock, 64_000_001)
    expect(await key()).toBeNull()
  })
})
