import { execFileSync, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { writeBinShim } from '../../../../src/adapters/machine/bin-shim.ts'
import { openLogFile } from '../../../../src/adapters/machine/log-file.ts'
import { pruneFolder } from '../../../../src/adapters/machine/prune-folder.ts'
import { tempFolder } from './temp-folder.ts'

describe('openLogFile', () => {
  it('stays below the limit, keeps the newest lines, and nobody else reads it', () => {
    const folder = tempFolder()
    const file = join(folder, 'logs', 'daemon.log')
    const log = openLogFile(file, 2000)
    for (let count = 0; count < 500; count += 1) log.write(`line ${count}\n`)
    const names = readdirSync(join(folder, 'logs')).toSorted()
    expect(names).toEqual(['daemon.log', 'daemon.log.1'])
    expect(
      names.reduce((sum, name) => sum + statSync(join(folder, 'logs', name)).size, 0),
    ).toBeLessThanOrEqual(2000)
    expect(readFileSync(file, 'utf8')).toMatch(/line 499\n$/)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    log.close()
  })

  it('goes on with the file of the last run', () => {
    const file = join(tempFolder(), 'daemon.log')
    for (const line of ['one\n', 'two\n']) {
      const log = openLogFile(file, 1000)
      log.write(line)
      log.close()
    }
    expect(readFileSync(file, 'utf8')).toBe('one\ntwo\n')
  })

  it('does not take the daemon down when it cannot write', () => {
    const folder = tempFolder()
    const file = join(folder, 'daemon.log')
    const log = openLogFile(file, 20)
    log.write('first line\n')
    // The predecessor’s place is taken by a folder: the rotation fails.
    mkdirSync(join(folder, 'daemon.log.1', 'full'), { recursive: true })
    expect(() => log.write('second line\n')).not.toThrow()
    log.write('third line\n')
    expect(readFileSync(file, 'utf8')).toContain('third line')
    log.close()
  })
})

describe('pruneFolder', () => {
  function folderWith(sizes: Record<string, number>): string {
    const folder = tempFolder()
    let second = 1000
    for (const [name, size] of Object.entries(sizes)) {
      mkdirSync(join(folder, name, '..'), { recursive: true })
      writeFileSync(join(folder, name), 'x'.repeat(size))
      utimesSync(join(folder, name), second, second)
      second += 1
    }
    return folder
  }

  it('removes the oldest until the rest fits, and folders that this empties', async () => {
    const folder = folderWith({ '1/old.log': 100, 'middle.log': 100, '2/new.log': 100 })
    expect(await pruneFolder(folder, 250)).toEqual({ removed: 1, bytes: 200 })
    expect(readdirSync(folder).toSorted()).toEqual(['2', 'middle.log'])
    expect(await pruneFolder(folder, 250)).toEqual({ removed: 0, bytes: 200 })
    expect(await pruneFolder(folder, 0)).toEqual({ removed: 2, bytes: 0 })
    expect(readdirSync(folder)).toEqual([])
  })

  it('leaves what is spared, and counts it', async () => {
    const folder = folderWith({ 'live.log': 100, 'old.log': 100, 'new.log': 100 })
    const isLive = (path: string): boolean => path.endsWith('live.log')
    expect(await pruneFolder(folder, 200, isLive)).toEqual({ removed: 1, bytes: 200 })
    expect(readdirSync(folder).toSorted()).toEqual(['live.log', 'new.log'])
    expect(await pruneFolder(folder, 0, isLive)).toEqual({ removed: 1, bytes: 100 })
  })

  it('does not follow symbolic links', async () => {
    const outside = folderWith({ 'precious.txt': 5000 })
    const folder = folderWith({ 'a.log': 10 })
    symlinkSync(outside, join(folder, 'link'))
    await pruneFolder(folder, 0)
    expect(existsSync(join(outside, 'precious.txt'))).toBe(true)
  })

  it('takes a missing folder for an empty one', async () => {
    expect(await pruneFolder(join(tempFolder(), 'nothing'), 0)).toEqual({ removed: 0, bytes: 0 })
  })
})

describe('writeBinShim', () => {
  it('runs the program with the arguments as they are, whatever the paths hold', async () => {
    const folder = join(tempFolder(), `it's a "folder" $HOME \`x\``)
    const bin = join(folder, 'print arguments.mjs')
    const shim = await writeBinShim(folder, { node: process.execPath, bin, confinedGit: 'x' })
    writeFileSync(bin, 'process.stdout.write(JSON.stringify(process.argv.slice(2)))')
    expect(statSync(shim).mode & 0o777).toBe(0o755)
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: 'binary' }).filter((text) => !text.includes('\0'))),
        async (words) => {
          expect(
            JSON.parse(
              execFileSync(shim, words, { env: { PATH: '/usr/bin:/bin' }, encoding: 'utf8' }),
            ),
          ).toEqual(words)
        },
      ),
      { numRuns: 5, examples: [[["it's", '$HOME', 'a\nb', '']]] },
    )
  })

  it('replaces the former one at once and leaves nothing beside it', async () => {
    const folder = tempFolder()
    await writeBinShim(folder, { node: '/old/node', bin: '/old/bin.js', confinedGit: '/old.sh' })
    await writeBinShim(folder, { node: '/new/node', bin: '/new/bin.js', confinedGit: '/new.sh' })
    expect(readdirSync(folder).toSorted()).toEqual(['confined', 'exomonad'])
    expect(readFileSync(join(folder, 'confined', 'git'), 'utf8')).toBe(
      `#!/bin/sh\nexec '/bin/sh' '/new.sh' '${join(folder, 'confined')}' "$@"\n`,
    )
    const shim = readFileSync(join(folder, 'exomonad'), 'utf8')
    expect(shim).toContain(`\nexec '/new/node' '/new/bin.js' "$@"\n`)
    expect(shim).not.toContain('/old')
  })

  it('says what is gone, and what to do, after an uninstall or another Node', async () => {
    const folder = tempFolder()
    for (const [gone, node] of [
      [join(folder, 'bin.js'), process.execPath],
      [join(folder, "it's node"), join(folder, "it's node")],
    ] as const) {
      const shim = await writeBinShim(folder, {
        node,
        bin: join(folder, 'bin.js'),
        confinedGit: 'x',
      })
      const { status, stderr } = spawnSync(shim, ['note', 'x'], { encoding: 'utf8' })
      expect(status).toBe(127)
      expect(stderr).toContain(`✗ ${gone} is gone`)
      expect(stderr).toContain('exomonad daemon stop; exomonad daemon start')
    }
  })
})
