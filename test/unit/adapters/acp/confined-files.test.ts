import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { confined, createConfinedFiles } from '../../../../src/adapters/acp/confined-files.ts'
import { exec } from '../../../../src/processes/exec.ts'
import { commandLine } from '../../../../src/adapters/acp/terminals.ts'

let folder: string
let root: string
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'exomonad-confined-')))
  root = join(folder, 'tree')
  await mkdir(root)
  await mkdir(join(folder, 'tree-beside'))
  await writeFile(join(folder, 'secret'), 'secret')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const asked = (path: string) => ({ sessionId: 's', path, line: null, limit: null })
const refused = { code: 'OUTSIDE_ROOT' }

describe('files of an agent', () => {
  it('are read and written in its folder, folders made as needed', async () => {
    const files = createConfinedFiles(root)
    await files.writeTextFile({
      sessionId: 's',
      path: join(root, 'a/b/c.txt'),
      content: 'one\ntwo\nthree\n',
    })
    expect(await readFile(join(root, 'a/b/c.txt'), 'utf8')).toBe('one\ntwo\nthree\n')
    expect(await files.readTextFile({ ...asked(join(root, 'a/b/c.txt')), line: 2, limit: 1 })).toBe(
      'two\n',
    )
    expect(await files.readTextFile({ ...asked(join(root, 'a/b/c.txt')), line: 3 })).toBe('three\n')
    await files.writeTextFile({ sessionId: 's', path: join(root, 'a/b/c.txt'), content: 'x' })
    expect(await files.readTextFile(asked(join(root, 'a/b/c.txt')))).toBe('x')
    await expect(files.readTextFile(asked(join(root, 'nothing')))).rejects.toMatchObject({
      code: 'ENOENT',
    })
  })

  it('are refused outside it, by name and by the way over its own name', async () => {
    for (const path of [
      join(folder, 'secret'),
      '/etc/passwd',
      join(root, '..', 'secret'),
      `${root}-beside/x`,
      join(root, 'a/../../secret'),
      folder,
    ]) {
      await expect(confined(root, path), path).rejects.toMatchObject(refused)
    }
    expect(await confined(root, root)).toBe(root)
    expect(await confined(root, join(root, 'a/../b'))).toBe(join(root, 'b'))
    expect(await confined(root, join(root, '..hidden'))).toBe(join(root, '..hidden'))
    await expect(confined(root, `${root}/a\0b`)).rejects.toMatchObject({ code: 'INVALID_ARG' })
  })

  it('are refused through symbolic links that lead out, also for what is not there yet', async () => {
    const files = createConfinedFiles(root)
    await symlink(folder, join(root, 'out'))
    await symlink(join(folder, 'secret'), join(root, 'file'))
    await symlink(join(folder, 'not-there'), join(root, 'dangling'))
    await symlink('loop', join(root, 'loop'))
    for (const path of [
      'out/secret',
      'file',
      'dangling',
      'out/new',
      'out/new/deeper',
      'dangling/x',
    ]) {
      await expect(files.readTextFile(asked(join(root, path))), path).rejects.toMatchObject(refused)
      await expect(
        files.writeTextFile({ sessionId: 's', path: join(root, path), content: 'mine' }),
        path,
      ).rejects.toMatchObject(refused)
    }
    await expect(files.readTextFile(asked(join(root, 'loop')))).rejects.toThrow(/loop|ELOOP/i)
    expect(await readFile(join(folder, 'secret'), 'utf8')).toBe('secret')
  })

  it('may be reached by links inside it, and when it is itself behind one', async () => {
    await mkdir(join(root, 'real'))
    await symlink(join(root, 'real'), join(root, 'inside'))
    await symlink(root, join(folder, 'alias'))
    const files = createConfinedFiles(join(folder, 'alias'))
    await files.writeTextFile({ sessionId: 's', path: join(root, 'inside/x'), content: 'y' })
    expect(await files.readTextFile(asked(join(folder, 'alias/real/x')))).toBe('y')
  })

  it('are files, and not too large', async () => {
    const files = createConfinedFiles(root, { limit: 10 })
    await writeFile(join(root, 'large'), 'x'.repeat(11))
    await mkdir(join(root, 'folder'))
    await exec('mkfifo', [join(root, 'pipe')], { env: { PATH: '/usr/bin:/bin' } })
    await expect(files.readTextFile(asked(join(root, 'large')))).rejects.toThrow(/11 bytes/)
    await expect(
      files.writeTextFile({ sessionId: 's', path: join(root, 'new'), content: 'x'.repeat(11) }),
    ).rejects.toThrow(/11 bytes/)
    await expect(files.readTextFile(asked(join(root, 'pipe')))).rejects.toThrow(/no file/)
    await expect(
      files.writeTextFile({ sessionId: 's', path: join(root, 'pipe'), content: 'x' }),
    ).rejects.toThrow(/no file/)
    await expect(files.readTextFile(asked(join(root, 'folder')))).rejects.toThrow(/no file/)
  })
})

describe('a command', () => {
  it('is a line for the shell where it comes as one', () => {
    expect(commandLine('npm', ['test'])).toEqual(['npm', ['test']])
    expect(commandLine('npm', [])).toEqual(['npm', []])
    expect(commandLine('npm test && echo ok', [])).toEqual(['sh', ['-c', 'npm test && echo ok']])
    expect(commandLine('/a b/c', ['x'])).toEqual(['/a b/c', ['x']])
  })
})
