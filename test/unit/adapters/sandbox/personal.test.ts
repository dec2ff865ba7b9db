import { execFileSync } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { ownPath } from '../../../../src/domain/own-path.ts'
import { ownGitFolder } from '../../../../src/adapters/sandbox/own-git-folder.ts'
import { preparePersonal } from '../../../../src/adapters/sandbox/personal.ts'
import { logsOf } from '../../../../src/adapters/sandbox/workspace.ts'
import { programFiles } from '../../../../src/adapters/sandbox/program-files.ts'
import { tempFolder } from '../machine/temp-folder.ts'

let root: string
let folder: string
let home: string
let logs: ReturnType<typeof logsOf>

beforeEach(() => {
  root = tempFolder()
  folder = join(root, 'agents', '1')
  home = join(root, 'home')
  logs = logsOf({ commonDir: join(root, 'repository', '.git'), branch: 'main.a' })
  for (const path of [folder, home]) mkdirSync(path, { recursive: true })
})

const put = (path: string, text: string): string => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  return path
}

describe('what a confined agent has of its own', () => {
  it('are home, temporary folder and spool, for it alone', async () => {
    await preparePersonal({ folder, home, logs, personal: [] })
    for (const path of [ownPath(folder, home), ownPath(folder, '/tmp'), join(folder, 'spool')])
      expect(lstatSync(path).mode & 0o777).toBe(0o700)
  })

  it('are copies of files as they are now, and of folders once, links as links', async () => {
    const file = put(join(home, '.cli.json'), 'one')
    const inside = put(join(home, '.config', 'cli', 'a.json'), 'one')
    symlinkSync('/etc/hostname', join(home, '.config', 'cli', 'link'))
    const personal = [
      { path: file, access: 'copy' },
      { path: join(home, '.config', 'cli'), access: 'copy' },
      { path: join(home, 'absent'), access: 'copy' },
    ] as const
    await preparePersonal({ folder, home, logs, personal })
    put(ownPath(folder, file), 'changed by the agent')
    put(ownPath(folder, inside), 'changed by the agent')
    put(file, 'two')
    await preparePersonal({ folder, home, logs, personal })
    expect(readFileSync(ownPath(folder, file), 'utf8')).toBe('two')
    expect(readFileSync(ownPath(folder, inside), 'utf8')).toBe('changed by the agent')
    expect(readFileSync(inside, 'utf8')).toBe('one')
    expect(lstatSync(ownPath(folder, join(dirname(inside), 'link'))).isSymbolicLink()).toBe(true)
  })

  it('are made through no link that the agent has left there', async () => {
    const file = put(join(home, '.cli.json'), 'one')
    const precious = put(join(home, 'precious'), 'as it was')
    const personal = [{ path: file, access: 'copy' }] as const
    await preparePersonal({ folder, home, logs, personal })
    execFileSync('ln', ['-sf', precious, ownPath(folder, file)])
    await preparePersonal({ folder, home, logs, personal })
    expect(readFileSync(precious, 'utf8')).toBe('as it was')
    expect(lstatSync(ownPath(folder, file)).isFile()).toBe(true)

    const log = ownPath(folder, logs.ofBranch)
    symlinkSync(precious, log)
    await preparePersonal({ folder, home, logs, personal })
    expect(existsSync(dirname(log))).toBe(true)
    expect(lstatSync(log, { throwIfNoEntry: false })).toBeUndefined()

    execFileSync('rm', ['-rf', ownPath(folder, home)])
    symlinkSync(home, ownPath(folder, home))
    await expect(preparePersonal({ folder, home, logs, personal })).rejects.toMatchObject({
      code: 'OUTSIDE_ROOT',
    })
    expect(readFileSync(file, 'utf8')).toBe('one')
  })

  it('are folders of word and ways that the agent can’t lead elsewhere', async () => {
    for (const name of ['spool', 'ways']) {
      symlinkSync(home, join(folder, name))
      await expect(preparePersonal({ folder, home, logs, personal: [] })).rejects.toMatchObject({
        code: 'OUTSIDE_ROOT',
      })
      execFileSync('rm', [join(folder, name)])
    }
  })

  it('makes the folders that the program would make in the person’s home', async () => {
    const path = join(home, '.cli', 'sessions')
    await preparePersonal({
      folder,
      home,
      logs,
      personal: [
        { path, access: 'write', isFolder: true },
        { path: join(home, '.cli', 'login.json'), access: 'write' },
        { path: join(home, '.cli', 'settings'), access: 'read' },
      ],
    })
    expect(existsSync(path)).toBe(true)
    expect(existsSync(join(home, '.cli', 'login.json'))).toBe(false)
    expect(existsSync(join(home, '.cli', 'settings'))).toBe(false)
  })
})

describe('the git folder of a worktree', () => {
  let worktree: string
  let commonDir: string
  beforeEach(() => {
    const git = (...args: string[]): void => {
      execFileSync('git', args, { cwd: root, env: { PATH: process.env['PATH'], HOME: home } })
    }
    git('init', '-q', 'repo')
    git(
      '-C',
      'repo',
      '-c',
      'user.name=A',
      '-c',
      'user.email=a@b',
      'commit',
      '-q',
      '--allow-empty',
      '-mA',
    )
    git('-C', 'repo', 'worktree', 'add', '-q', join(root, 'a'))
    git('-C', 'repo', 'worktree', 'add', '-q', join(root, 'b'))
    worktree = join(root, 'a')
    commonDir = join(root, 'repo', '.git')
  })
  const refusal = { code: 'SANDBOX_UNAVAILABLE' }

  it('is the one that knows the worktree', async () => {
    expect(await ownGitFolder(worktree, commonDir)).toBe(join(commonDir, 'worktrees', 'a'))
  })

  it('is never another’s, nor one that the agent has made', async () => {
    writeFileSync(join(worktree, '.git'), `gitdir: ${join(commonDir, 'worktrees', 'b')}\n`)
    await expect(ownGitFolder(worktree, commonDir)).rejects.toMatchObject(refusal)
    mkdirSync(join(worktree, 'mine'))
    writeFileSync(join(worktree, 'mine', 'gitdir'), join(worktree, '.git'))
    writeFileSync(join(worktree, '.git'), `gitdir: ${join(worktree, 'mine')}\n`)
    await expect(ownGitFolder(worktree, commonDir)).rejects.toMatchObject(refusal)
    execFileSync('rm', [join(worktree, '.git')])
    mkdirSync(join(worktree, '.git'))
    await expect(ownGitFolder(worktree, commonDir)).rejects.toMatchObject(refusal)
    await expect(ownGitFolder(join(root, 'repo'), commonDir)).rejects.toMatchObject(refusal)
  })
})

describe('the files of a program', () => {
  it('are the folder that it is in, or all packages beside it', async () => {
    const plain = put(join(root, 'share', 'tool', '2.1'), '#!/bin/sh')
    const script = put(join(root, 'lib', 'node_modules', '@a', 'b', 'cli.js'), '#!/bin/sh')
    for (const file of [plain, script]) execFileSync('chmod', ['+x', file])
    const bin = join(root, 'bin')
    mkdirSync(bin)
    symlinkSync(plain, join(bin, 'tool'))
    symlinkSync(script, join(bin, 'cli'))
    expect(await programFiles('tool', `/nowhere:${bin}`)).toEqual([
      join(bin, 'tool'),
      join(root, 'share', 'tool'),
    ])
    expect(await programFiles(join(bin, 'cli'), '')).toEqual([
      join(bin, 'cli'),
      join(root, 'lib', 'node_modules'),
    ])
    expect(await programFiles('absent', bin)).toEqual([])
  })
})
