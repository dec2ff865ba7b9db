import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  mkdirSync,
  renameSync,
} from 'node:fs'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Git } from '../../../src/adapters/git/git.ts'
import { openGit } from '../../../src/adapters/git/open.ts'
import type { WorktreeSnapshot } from '../../../src/adapters/git/radar/radar-git.ts'
import { inspectRepository } from '../../../src/adapters/git/repository.ts'
import {
  tempRepository,
  type TempRepository,
  type TempRepositoryOptions,
} from '../../helpers/temp-repository.ts'

async function open(
  options: TempRepositoryOptions = {},
): Promise<{ repository: TempRepository; git: Git; at: (name: string) => string }> {
  const repository = await tempRepository(options)
  onTestFinished(() => repository.remove())
  const facts = await inspectRepository(repository.path, repository.env)
  return {
    repository,
    git: openGit({ commonDir: facts.commonDir, environment: repository.env }),
    at: (name) => join(repository.path, name),
  }
}

async function taken(
  git: Git,
  worktree: string,
  before?: WorktreeSnapshot,
): Promise<WorktreeSnapshot> {
  const found = await git.snapshotWorktree(worktree, before)
  if (found.kind !== 'taken') throw new Error(found.why)
  return found
}

const objectsOf = ({ path }: TempRepository): string => join(path, '.git/exomonad/radar/objects')

/** Git with the objects of snapshots, of which the repository itself knows nothing. */
const inSnapshots = (repository: TempRepository, ...args: string[]): string =>
  execFileSync('git', args, {
    cwd: repository.path,
    env: { ...repository.env, GIT_ALTERNATE_OBJECT_DIRECTORIES: objectsOf(repository) },
    encoding: 'utf8',
  }).replace(/\n$/, '')

const filesOf = (repository: TempRepository, tree: string): string[] =>
  inSnapshots(repository, 'ls-tree', '-r', '--name-only', tree)
    .split('\n')
    .filter((one) => one !== '')

describe('the snapshot of a worktree', () => {
  it('has all that is staged, changed or new, and leaves the worktree as it was', async () => {
    const { repository, git, at } = await open({
      files: {
        'kept.txt': '1',
        'edited.txt': '1',
        'gone.txt': '1',
        'old name.txt': 'x'.repeat(500),
        'run.sh': 'x',
        'forced.log': 'tracked although it is ignored',
      },
    })
    writeFileSync(at('.gitignore'), 'build/\n*.log\n')
    writeFileSync(at('edited.txt'), '2')
    writeFileSync(at('staged.txt'), 'staged')
    await repository.git('add', 'staged.txt')
    writeFileSync(at('staged.txt'), 'and changed since')
    rmSync(at('gone.txt'))
    renameSync(at('old name.txt'), at('új name.txt'))
    chmodSync(at('run.sh'), 0o755)
    mkdirSync(at('build'))
    writeFileSync(at('build/ignored'), 'x')
    symlinkSync('kept.txt', at('link'))
    writeFileSync(at('data.bin'), Buffer.from([0, 1, 2, 0, 255]))
    // Hooks that would say so.
    for (const hook of [
      'pre-commit',
      'post-commit',
      'post-index-change',
      'reference-transaction',
    ]) {
      writeFileSync(at(`.git/hooks/${hook}`), `#!/bin/sh\ntouch '${at('hook-ran')}'\n`)
      chmodSync(at(`.git/hooks/${hook}`), 0o755)
    }
    const state = async () => ({
      status: await repository.git('--no-optional-locks', 'status', '--porcelain=v2', '--branch'),
      index: readFileSync(at('.git/index')).toString('hex'),
      head: await repository.git('rev-parse', 'HEAD'),
      log: await repository.git('reflog'),
      files: readdirSync(at('.git')).filter((name) => !name.startsWith('exomonad')),
      objects: await repository.git('count-objects', '-v'),
      refs: await repository.git('for-each-ref'),
    })
    const before = await state()
    // An agent’s own git is at work.
    writeFileSync(at('.git/index.lock'), '')
    const found = await taken(git, repository.path)
    rmSync(at('.git/index.lock'))
    expect(await state()).toEqual(before)
    expect(existsSync(at('hook-ran'))).toBe(false)

    expect(filesOf(repository, found.commit)).toEqual(
      expect.arrayContaining([
        '.gitignore',
        'data.bin',
        'edited.txt',
        'forced.log',
        'link',
        'staged.txt',
      ]),
    )
    expect(filesOf(repository, found.commit)).not.toContain('gone.txt')
    expect(filesOf(repository, found.commit)).not.toContain('build/ignored')
    expect(inSnapshots(repository, 'show', `${found.commit}:staged.txt`)).toBe('and changed since')
    expect(inSnapshots(repository, 'ls-tree', found.commit, 'run.sh')).toMatch(/^100755/)
    expect(inSnapshots(repository, 'rev-parse', `${found.commit}^`).trim()).toBe(found.head)
    // The same as long as nothing changes, and another one once it does.
    expect(await taken(git, repository.path, found)).toBe(found)
    writeFileSync(at('edited.txt'), '3')
    const next = await taken(git, repository.path, found)
    expect(next.tree).not.toBe(found.tree)
    inSnapshots(repository, 'fsck', '--strict', next.commit)
    expect(await git.present([found.commit, next.commit])).toEqual(new Set())
    await git.forgetSnapshots()
    expect(existsSync(at('.git/exomonad/radar'))).toBe(false)
    expect((await taken(git, repository.path, next)).commit).toBe(next.commit)
    inSnapshots(repository, 'fsck', '--strict', next.commit)
  })

  it('can tell by a few files that there is likely nothing new', async () => {
    const { repository, git, at } = await open({ files: { 'a.txt': 'a', 'b.txt': 'b' } })
    writeFileSync(at('a.txt'), 'A')
    const found = await taken(git, repository.path)
    const seems = () => git.seemsUnchanged(repository.path, found)
    expect(await seems()).toBe(true)
    writeFileSync(at('a.txt'), 'AA')
    expect(await seems()).toBe(false)
    const next = await taken(git, repository.path, found)
    writeFileSync(at('new.txt'), '')
    expect(await git.seemsUnchanged(repository.path, next)).toBe(false)
    const last = await taken(git, repository.path, next)
    await repository.git('add', '.')
    expect(await git.seemsUnchanged(repository.path, last)).toBe(false)
  })

  it('is taken anew where there are too many, or somebody took them away', async () => {
    const { repository, at } = await open({ files: { 'a.txt': 'a' } })
    const git = openGit({
      commonDir: at('.git'),
      environment: repository.env,
      mostRadarObjects: 400_000,
    })
    let last: WorktreeSnapshot | undefined
    const write = async (): Promise<WorktreeSnapshot> => {
      writeFileSync(at('big.bin'), randomBytes(90_000))
      last = await taken(git, repository.path, last)
      return last
    }
    await write()
    expect(await git.tidySnapshots()).toBe(false)
    for (let round = 0; round < 4; round += 1) await write()
    expect(await git.tidySnapshots()).toBe(true)
    expect(existsSync(objectsOf(repository))).toBe(false)
    const anew = await taken(git, repository.path, last)
    expect(anew.commit).toBe(last?.commit)
    expect(filesOf(repository, anew.commit)).toEqual(['a.txt', 'big.bin'])
    rmSync(objectsOf(repository), { recursive: true })
    expect(await git.tidySnapshots()).toBe(true)
    // What a daemon that was killed left is begun anew as well.
    mkdirSync(join(objectsOf(repository), 'ab'), { recursive: true })
    writeFileSync(join(objectsOf(repository), 'ab/tmp_obj_x'), 'half')
    expect((await taken(git, repository.path, anew)).commit).toBe(anew.commit)
    expect(existsSync(join(objectsOf(repository), 'ab/tmp_obj_x'))).toBe(false)
  })

  it('of older versions is taken out of the repository', async () => {
    const { repository, git, at } = await open({ files: { 'a.txt': 'a' } })
    await repository.git('update-ref', 'refs/exomonad/snapshots/some-id', 'HEAD')
    mkdirSync(at('.git/exomonad/radar-objects'), { recursive: true })
    await git.removeFormerSnapshots()
    expect(await repository.git('for-each-ref', 'refs/exomonad/')).toBe('')
    expect(existsSync(at('.git/exomonad/radar-objects'))).toBe(false)
  })

  it('is HEAD itself where nothing is uncommitted, detached or not', async () => {
    const { repository, git } = await open({ files: { 'a.txt': 'a' } })
    const head = (await repository.git('rev-parse', 'HEAD')).trim()
    expect(await taken(git, repository.path)).toMatchObject({ commit: head, head })
    await repository.git('checkout', '--quiet', '--detach')
    expect(await taken(git, repository.path)).toMatchObject({ commit: head, head })
  })

  it('says of what can’t be known why', async () => {
    const { repository, git, at } = await open({ files: { 'a.txt': 'a\n' } })
    await repository.git('checkout', '--quiet', '-b', 'side')
    await repository.commit({ 'a.txt': 'side\n' }, 'Side')
    await repository.git('checkout', '--quiet', 'main')
    await repository.commit({ 'a.txt': 'main\n' }, 'Main')
    await repository.git('checkout', '--quiet', 'side')
    await repository.git('rebase', 'main').catch(() => '')
    expect(await git.snapshotWorktree(repository.path)).toEqual({
      kind: 'unknown',
      why: 'it is in the middle of a rebase',
    })
    await repository.git('rebase', '--abort')
    await repository.git('checkout', '--quiet', '--orphan', 'fresh')
    expect(await git.snapshotWorktree(repository.path)).toEqual({
      kind: 'unknown',
      why: 'it has no commit yet',
    })
    rmSync(at('.git'), { recursive: true })
    expect(await git.snapshotWorktree(repository.path)).toEqual({
      kind: 'unknown',
      why: 'its worktree is gone',
    })
  })

  it('has the same as all of it added anew, whatever was staged, moved or replaced', async () => {
    const { repository, git, at } = await open({
      files: { 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c', 'd/in': 'd', 'e.log': 'e', f: 'f' },
    })
    const whole = async (): Promise<string> => {
      const index = join(repository.folder, 'whole-index')
      rmSync(index, { force: true })
      const settings = ['-c', 'advice.addEmbeddedRepo=false', '--work-tree', repository.path]
      const env = { ...repository.env, GIT_INDEX_FILE: index }
      const run = (...args: string[]): string =>
        execFileSync('git', [...settings, ...args], { cwd: repository.path, env, encoding: 'utf8' })
      writeFileSync(index, readFileSync(at('.git/index')))
      // So old that git believes nothing in it of what files look like.
      utimesSync(index, 1, 1)
      run('add', '--all')
      return run('write-tree').trim()
    }
    const steps: (() => Promise<unknown>)[] = [
      async () => {
        writeFileSync(at('a.txt'), 'A')
        await repository.git('rm', '--quiet', 'b.txt')
        await repository.git('rm', '--quiet', '--cached', 'c.txt')
        writeFileSync(at('[*] ü\n.txt'), 'odd')
        writeFileSync(at('new'), 'n')
        await repository.git('add', '--intent-to-add', 'new')
        writeFileSync(at('.gitignore'), '*.log\n')
        writeFileSync(at('x.log'), 'x')
        await repository.git('add', '--force', 'x.log')
        symlinkSync('f', at('link'))
      },
      async () => {
        rmSync(at('d'), { recursive: true })
        writeFileSync(at('d'), 'a file now')
        rmSync(at('f'))
        mkdirSync(at('f'))
        writeFileSync(at('f/in'), 'a folder now')
        await repository.git('mv', 'a.txt', 'moved.txt')
      },
      async () => {
        rmSync(at('moved.txt'))
        await repository.git('init', '--quiet', 'inner')
        const commit = ['commit', '--quiet', '--allow-empty', '-m', 'Inner']
        await repository.gitIn(at('inner'), ...commit)
        writeFileSync(at('inner/file'), 'in there')
      },
    ]
    let before: WorktreeSnapshot | undefined
    for (const [index, step] of steps.entries()) {
      await step()
      before = await taken(git, repository.path, before)
      expect(before.tree, `after step ${index}`).toBe(await whole())
    }
    for (let index = 0; index < 250; index += 1) writeFileSync(at(`many-${index}`), `${index}`)
    expect((await taken(git, repository.path, before)).tree).toBe(await whole())
  })

  it('leaves out what is over 50 MB, and says so', async () => {
    const { repository, git, at } = await open({ files: { 'tracked [1].bin': 'small' } })
    writeFileSync(at('tracked [1].bin'), '')
    writeFileSync(at('new.bin'), '')
    for (const name of ['tracked [1].bin', 'new.bin']) truncateSync(at(name), 50_000_001)
    writeFileSync(at('tracked 1.bin'), 'its name only looks alike')
    const found = await taken(git, repository.path)
    expect(found.skipped.toSorted()).toEqual(['new.bin', 'tracked [1].bin'])
    expect(filesOf(repository, found.commit)).toEqual(['tracked 1.bin', 'tracked [1].bin'])
    expect(inSnapshots(repository, 'show', `${found.commit}:tracked [1].bin`)).toBe('small')
  })

  it('leaves out a larger file as long as it is being written', async () => {
    const { repository, git, at } = await open({})
    writeFileSync(at('data.db'), 'x'.repeat(1_000_001))
    writeFileSync(at('a.txt'), 'a')
    const restless = await taken(git, repository.path)
    expect(restless.skipped).toEqual(['data.db'])
    expect(filesOf(repository, restless.commit)).not.toContain('data.db')
    const minutesAgo = new Date(Date.now() - 120_000)
    utimesSync(at('data.db'), minutesAgo, minutesAgo)
    const atRest = await taken(git, repository.path, restless)
    expect(atRest.skipped).toEqual([])
    expect(filesOf(repository, atRest.commit)).toContain('data.db')
  })

  it('has of a sparse worktree all that is left out, and of a submodule its commit', async () => {
    const { repository, git, at } = await open({
      files: { 'in/a.txt': 'a', 'out/b.txt': 'b', 'top.txt': 't' },
    })
    const inner = await open({ files: { 'inner.txt': 'i' } })
    const clone = ['-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add']
    await repository.git(...clone, inner.repository.path, 'in/module')
    await repository.git('commit', '--quiet', '-m', 'Add a module')
    await repository.git('sparse-checkout', 'set', 'in')
    expect(existsSync(at('out/b.txt'))).toBe(false)
    writeFileSync(at('in/a.txt'), 'changed')
    writeFileSync(at('in/module/inner.txt'), 'dirty in there')
    mkdirSync(at('out'))
    writeFileSync(at('out/beside.txt'), 'beyond its folders')
    const found = await taken(git, repository.path)
    expect(filesOf(repository, found.commit)).toEqual(
      expect.arrayContaining(['in/a.txt', 'in/module', 'out/b.txt', 'out/beside.txt', 'top.txt']),
    )
    expect(inSnapshots(repository, 'ls-tree', found.commit, 'in/module')).toMatch(/^160000/)
  })

  it('has pointers of files of Git LFS, and puts nothing into its store', async () => {
    const { repository, git, at } = await open({ files: { 'a.txt': 'a' } })
    await repository.git('lfs', 'install', '--local')
    writeFileSync(at('.gitattributes'), '*.big filter=lfs diff=lfs merge=lfs -text\n')
    await repository.git('add', '.gitattributes')
    await repository.git('commit', '--quiet', '-m', 'Attributes')
    writeFileSync(at('film it’s.big'), 'frames')
    const found = await taken(git, repository.path)
    expect(inSnapshots(repository, 'show', `${found.commit}:film it’s.big`)).toMatch(
      /^version https:\/\/git-lfs/,
    )
    expect(existsSync(at('.git/lfs/objects')) ? readdirSync(at('.git/lfs/objects')) : []).toEqual(
      [],
    )
    await repository.git('add', '.')
    expect(await repository.git('show', ':film it’s.big')).toBe(
      inSnapshots(repository, 'show', `${found.commit}:film it’s.big`),
    )
  })
})

describe('foretold merges', () => {
  it('say which files conflict, and write nothing into the repository', async () => {
    const { repository, git, at } = await open({ files: { 'a.txt': '1\n2\n3\n', 'b.txt': 'b\n' } })
    const base = (await repository.git('rev-parse', 'HEAD')).trim()
    const side = async (name: string, files: Record<string, string>) => {
      await repository.git('checkout', '--quiet', '-b', name, base)
      return repository.commit(files, name)
    }
    const one = await side('one', { 'a.txt': '1\none\n3\n' })
    const two = await side('two', { 'a.txt': '1\ntwo\n3\n' })
    const three = await side('three', { 'b.txt': 'three\n' })
    await repository.git('checkout', '--quiet', '--orphan', 'alien')
    const alien = await repository.commit({ 'z.txt': 'z' }, 'alien')
    const before = await repository.git('count-objects', '-v')
    expect(
      await git.foretellMerges([
        [one as never, two as never],
        [one as never, three as never],
        [one as never, alien as never],
        [two as never, three as never],
      ]),
    ).toMatchObject([
      { kind: 'conflict', files: ['a.txt'] },
      { kind: 'clean' },
      { kind: 'unknown', why: expect.stringContaining('unrelated histories') },
      { kind: 'clean' },
    ])
    expect(await repository.git('count-objects', '-v')).toBe(before)
    expect(existsSync(at('.git/exomonad/radar/merges'))).toBe(false)
  })

  it('are shown by the lines of both sides', async () => {
    const { repository, git } = await open({
      files: { 'a.txt': '1\n2\n3\n4\n', 'gone.txt': 'x\n', 'old.txt': 'y\n'.repeat(20) },
    })
    const base = (await repository.git('rev-parse', 'HEAD')).trim()
    await repository.git('mv', 'old.txt', 'a name\tof ü.txt')
    await repository.git('rm', '--quiet', 'gone.txt')
    const to = await repository.commit({ 'a.txt': '1\n-- two\n3\n4', 'new.txt': 'n\n' }, 'Change')
    expect(await git.hunksOf(base as never, to as never, ['a.txt', 'gone.txt', 'old.txt'])).toEqual(
      [
        {
          ...{ path: 'a.txt', newPath: 'a.txt', change: 'modified', binary: false },
          hunks: [
            { base: { from: 2, lines: 1 }, own: { from: 2, lines: 1 }, text: ['-2', '+-- two'] },
            { base: { from: 4, lines: 1 }, own: { from: 4, lines: 1 }, text: ['-4', '+4'] },
          ],
        },
        {
          ...{ path: 'gone.txt', newPath: 'gone.txt', change: 'deleted', binary: false },
          hunks: [{ base: { from: 1, lines: 1 }, own: { from: 0, lines: 0 }, text: ['-x'] }],
        },
        {
          ...{ path: 'old.txt', newPath: 'a name\tof ü.txt', change: 'renamed', binary: false },
          hunks: [],
        },
      ].toSorted((x, y) => (x.newPath < y.newPath ? -1 : 1)),
    )
  })
})
