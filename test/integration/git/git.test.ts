import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { exec, type Exec } from '../../../src/processes/exec.ts'
import type { Git } from '../../../src/adapters/git/git.ts'
import { openGit } from '../../../src/adapters/git/open.ts'
import { inspectRepository } from '../../../src/adapters/git/repository.ts'
import { fitsInFile, type BranchName, type Sha } from '../../../src/domain/ids.ts'
import {
  tempHome,
  tempRepository,
  type TempRepository,
  type TempRepositoryOptions,
} from '../../helpers/temp-repository.ts'
import { verifies } from '../../requirements.ts'

async function open(
  options: TempRepositoryOptions = {},
): Promise<{ repository: TempRepository; git: Git; head: Sha }> {
  const repository = await tempRepository(options)
  onTestFinished(() => repository.remove())
  const facts = await inspectRepository(repository.path, repository.env)
  const git = openGit({ commonDir: facts.commonDir, environment: repository.env })
  return { repository, git, head: (await git.resolve('HEAD')) as Sha }
}

const branch = (name: string): BranchName => name as BranchName

/** A worktree with a branch of its own, and a way to commit there. */
async function worktree(
  { repository, git, head }: Awaited<ReturnType<typeof open>>,
  name: string,
  at: Sha = head,
) {
  const path = join(repository.folder, name)
  await git.addWorktree({ path, branch: branch(name), create: true, at })
  const commit = async (files: Record<string, string>, message = 'Work'): Promise<Sha> => {
    for (const [file, content] of Object.entries(files)) writeFileSync(join(path, file), content)
    await repository.gitIn(path, 'add', '-A')
    await repository.gitIn(path, 'commit', '-q', '-m', message)
    return (await repository.gitIn(path, 'rev-parse', 'HEAD')) as Sha
  }
  return { path, commit }
}

describe('inspectRepository', () => {
  it('sees a repository with spaces and unicode in its path, from a folder below', async () => {
    const repository = await tempRepository({ name: 'a répo with 空白', branch: 'release/1.2' })
    onTestFinished(() => repository.remove())
    mkdirSync(join(repository.path, 'src'))
    const facts = await inspectRepository(join(repository.path, 'src'), repository.env)
    expect(facts).toMatchObject({
      commonDir: join(repository.path, '.git'),
      bare: false,
      worktree: repository.path,
      mainWorktree: repository.path,
    })
    expect(facts.head).toMatchObject({ kind: 'branch', branch: 'release/1.2' })
  })

  it('distinguishes unborn and detached heads', async () => {
    const unborn = await tempRepository({ files: null })
    onTestFinished(() => unborn.remove())
    expect((await inspectRepository(unborn.path, unborn.env)).head).toEqual({
      kind: 'unborn',
      branch: 'main',
    })
    const { repository, head } = await open()
    await repository.git('checkout', '-q', '--detach')
    expect((await inspectRepository(repository.path, repository.env)).head).toEqual({
      kind: 'detached',
      sha: head,
    })
  })

  it('knows the main worktree of a git directory that is not called .git', async () => {
    const { repository } = await open()
    const apart = join(repository.folder, 'apart')
    const gitDir = join(repository.folder, 'kept elsewhere')
    await repository.git('clone', '-q', '--separate-git-dir', gitDir, '.', apart)
    expect(await inspectRepository(apart, repository.env)).toMatchObject({
      commonDir: gitDir,
      mainWorktree: apart,
    })
    const file = ['-c', 'protocol.file.allow=always']
    await repository.git(...file, 'submodule', '--quiet', 'add', apart, 'part')
    const part = join(repository.path, 'part')
    const linked = join(repository.folder, 'linked part')
    await repository.gitIn(part, 'worktree', 'add', '-q', '-b', 'other', linked)
    for (const folder of [part, linked])
      expect(await inspectRepository(folder, repository.env), folder).toMatchObject({
        commonDir: join(repository.path, '.git', 'modules', 'part'),
        worktree: folder,
        mainWorktree: part,
      })
  })

  it('says of a repository that git refuses what to do, and never to make one inside', async () => {
    const { repository } = await open()
    const look = (env: Record<string, string>) =>
      inspectRepository(repository.path, { ...repository.env, ...env }).catch((error) => error)
    const refused = await look({ GIT_TEST_ASSUME_DIFFERENT_OWNER: '1' })
    expect(refused).toMatchObject({ code: 'GIT_FAILED' })
    expect(refused.message).toContain(`${repository.path} belongs to another user`)
    expect(refused.message).toContain('safe.directory')
    writeFileSync(join(repository.path, '.git', 'config'), '[core\n')
    const unreadable = await look({})
    expect(unreadable).toMatchObject({ code: 'GIT_FAILED' })
    expect(unreadable.message).toContain('bad config line 1')
    for (const { message } of [refused, unreadable]) expect(message).not.toContain('git init')
  })

  it('sees a bare repository and its linked worktrees', async () => {
    const { repository } = await open()
    const bare = join(repository.folder, 'bare.git')
    await repository.git('clone', '-q', '--bare', '.', bare)
    expect(await inspectRepository(bare, repository.env)).toMatchObject({
      commonDir: bare,
      bare: true,
      worktree: null,
      mainWorktree: null,
    })
    const linked = join(repository.folder, 'linked')
    await repository.gitIn(bare, 'worktree', 'add', '-q', linked, 'main')
    expect(await inspectRepository(linked, repository.env)).toMatchObject({
      commonDir: bare,
      bare: true,
      worktree: linked,
      mainWorktree: linked,
    })
  })

  it('sees what a linked worktree is on, by two questions', async () => {
    const { repository, head } = await open()
    const linked = join(repository.folder, 'linked')
    await repository.git('worktree', 'add', '-q', '-b', 'other', linked)
    const sha = await repository.gitIn(linked, 'rev-parse', 'HEAD')
    const counted = vi.fn(exec)
    expect(await inspectRepository(linked, repository.env, counted)).toEqual({
      commonDir: join(repository.path, '.git'),
      bare: false,
      worktree: linked,
      mainWorktree: repository.path,
      head: { kind: 'branch', branch: 'other', sha },
    })
    expect(counted).toHaveBeenCalledTimes(2)
    await repository.gitIn(linked, 'checkout', '-q', '--detach', head)
    expect((await inspectRepository(linked, repository.env)).head).toEqual({
      kind: 'detached',
      sha: head,
    })
  })

  it('says so outside of a repository and where the folder is missing', async () => {
    const home = tempHome()
    onTestFinished(() => home.remove())
    await expect(inspectRepository(home.folder, home.env)).rejects.toMatchObject({
      code: 'NOT_A_REPOSITORY',
    })
    await expect(inspectRepository(join(home.folder, 'nowhere'), home.env)).rejects.toMatchObject({
      code: 'NOT_A_REPOSITORY',
    })
  })
})

describe('worktrees', () => {
  it(verifies('R004-01', 'makes 20 worktrees asked for at once without losing one'), async () => {
    const { repository, git, head } = await open()
    const names = Array.from({ length: 20 }, (_, index) => `main.w${index}`)
    await Promise.all(
      names.map((name) =>
        git.addWorktree({
          path: join(repository.folder, name),
          branch: branch(name),
          create: true,
          at: head,
          checkoutWorkers: 4,
        }),
      ),
    )
    const listed = await git.worktrees()
    expect(new Set(listed.map((entry) => entry.branch))).toEqual(new Set(['main', ...names]))
    expect(listed).toHaveLength(21)
    expect(listed.every((entry) => existsSync(join(entry.path, 'README.md')))).toBe(true)
    await Promise.all(names.map((name) => git.removeWorktree(join(repository.folder, name))))
    expect(await git.worktrees()).toHaveLength(1)
  })

  it('makes one as git does, down to the files that name each other', async () => {
    const { repository, git, head } = await open()
    const [own, gits] = ['own', 'gits'].map((name) => join(repository.folder, name))
    if (own === undefined || gits === undefined) throw new Error('two places')
    await git.addWorktree({ path: own, branch: branch('main.own'), create: true, at: head })
    await repository.git('worktree', 'add', '-q', '--no-track', '-b', 'main.gits', gits, head)
    const recordOf = (name: string) => join(git.commonDir, 'worktrees', name)
    const written = (name: string, place: string) =>
      [join(place, '.git'), ...['HEAD', 'commondir', 'gitdir'].map((f) => join(recordOf(name), f))]
        .map((file) => readFileSync(file, 'utf8').replaceAll(name, 'NAME'))
        .join('')
    expect(written('own', own)).toBe(written('gits', gits))
    expect(readdirSync(recordOf('own')).toSorted()).toEqual(
      readdirSync(recordOf('gits')).toSorted(),
    )
    expect(await repository.gitIn(own, 'status', '--porcelain', '--branch')).toBe('## main.own')
    expect(await repository.git('reflog', 'show', '--format=%gs', 'main.own')).toBe(
      `branch: Created from ${head}`,
    )
    await repository.git('worktree', 'remove', own)
    await repository.git('fsck', '--connectivity-only')
  })

  it('leaves to git what is not as usual, and takes back what it could not finish', async () => {
    const { repository, git, head } = await open()
    await repository.git('config', 'extensions.worktreeConfig', 'true')
    const path = join(repository.folder, 'special')
    await git.addWorktree({ path, branch: branch('main.a'), create: true, at: head })
    expect(await repository.gitIn(path, 'status', '--porcelain', '--branch')).toBe('## main.a')
    await repository.git('config', '--unset', 'extensions.worktreeConfig')
    // A filter that fails: the files can't be written.
    await repository.commit({ '.gitattributes': '*.bin filter=broken\n', 'a.bin': 'x' })
    await repository.git('config', 'filter.broken.smudge', 'false')
    await repository.git('config', 'filter.broken.required', 'true')
    const at = (await repository.git('rev-parse', 'HEAD')) as Sha
    const broken = join(repository.folder, 'broken')
    await expect(
      git.addWorktree({ path: broken, branch: branch('main.b'), create: true, at }),
    ).rejects.toMatchObject({ code: 'GIT_FAILED' })
    expect(existsSync(broken)).toBe(false)
    expect(existsSync(join(git.commonDir, 'worktrees', 'broken'))).toBe(false)
    expect(await git.resolve('refs/heads/main.b')).toBeNull()
  })

  it('leaves no branch behind where the checkout fails', async () => {
    const { repository, git, head } = await open()
    const path = join(repository.folder, 'taken')
    mkdirSync(path)
    writeFileSync(join(path, 'file'), 'mine')
    await expect(
      git.addWorktree({ path, branch: branch('main.a'), create: true, at: head }),
    ).rejects.toMatchObject({ code: 'GIT_FAILED' })
    expect([...(await git.branches()).keys()]).toEqual(['main'])
    expect(readFileSync(join(path, 'file'), 'utf8')).toBe('mine')
  })

  it('says which branch exists or is checked out, and where', async () => {
    const { repository, git, head } = await open()
    await repository.git('branch', 'main.a')
    const path = join(repository.folder, 'w')
    await expect(
      git.addWorktree({ path, branch: branch('main.a'), create: true, at: head }),
    ).rejects.toMatchObject({ code: 'BRANCH_EXISTS' })
    expect(await git.resolve('main.a')).toBe(head)
    await expect(
      git.addWorktree({ path, branch: branch('main'), create: false, at: head }),
    ).rejects.toMatchObject({
      code: 'BRANCH_CHECKED_OUT',
      facts: { worktree: repository.path },
    })
    await git.addWorktree({ path, branch: branch('main.a'), create: false, at: head })
    expect(await git.status(path)).toMatchObject({
      branch: 'main.a',
      head,
      dirty: [],
      operation: null,
    })
  })

  it('makes a worktree again where a crash or a person took the old folder away', async () => {
    const context = await open()
    const { path } = await worktree(context, 'main.a')
    rmSync(path, { recursive: true })
    await context.git.addWorktree({
      path,
      branch: branch('main.b'),
      create: true,
      at: context.head,
    })
    expect(existsSync(join(path, 'README.md'))).toBe(true)
    // As git leaves it when it is killed while it makes one.
    rmSync(path, { recursive: true })
    writeFileSync(join(context.git.commonDir, 'worktrees', 'main.a', 'locked'), 'initializing\n')
    await context.git.addWorktree({
      path,
      branch: branch('main.c'),
      create: true,
      at: context.head,
    })
    expect((await context.git.status(path)).branch).toBe('main.c')
  })

  it('refuses to remove a dirty worktree unless forced, and never a folder that is no worktree', async () => {
    const context = await open()
    const { path } = await worktree(context, 'main.a')
    writeFileSync(join(path, 'new file'), 'unsaved')
    await expect(context.git.removeWorktree(path)).rejects.toMatchObject({ code: 'DIRTY_WORKTREE' })
    expect(existsSync(join(path, 'new file'))).toBe(true)
    await context.git.removeWorktree(path, { force: true })
    expect(existsSync(path)).toBe(false)
    await context.git.removeWorktree(path)

    const strange = join(context.repository.folder, 'strange')
    mkdirSync(strange)
    writeFileSync(join(strange, 'precious'), '1')
    await expect(context.git.removeWorktree(strange, { force: true })).rejects.toMatchObject({
      code: 'GIT_FAILED',
    })
    expect(existsSync(join(strange, 'precious'))).toBe(true)
  })

  describe('with a place for what is removed', () => {
    const put = async (
      prepare: (place: {
        context: Awaited<ReturnType<typeof open>>
        path: string
        trash: string
      }) => unknown = () => {},
    ) => {
      const context = await open()
      const { path } = await worktree(context, 'main.a')
      writeFileSync(join(context.git.commonDir, 'info', 'exclude'), 'node_modules\n')
      mkdirSync(join(path, 'node_modules'))
      writeFileSync(join(path, 'node_modules', 'built'), '1')
      const trash = join(context.repository.folder, 'trash')
      await prepare({ context, path, trash })
      const inTrash = () =>
        existsSync(trash) && statSync(trash).isDirectory() ? readdirSync(trash) : []
      const listed = async () => (await context.git.worktrees()).map((entry) => entry.path)
      return { ...context, path, trash, inTrash, listed }
    }

    it.each([false, true])(
      'moves the files there, ignored ones as well, and forgets the worktree (force: %s)',
      async (force) => {
        const { git, path, trash, inTrash, listed } = await put(({ path }) => {
          if (force) writeFileSync(join(path, 'unsaved'), '1')
        })
        if (!force) await git.requireRemovable(path)
        await git.removeWorktree(path, { force, trash })
        expect(existsSync(path)).toBe(false)
        await git.requireRemovable(path)
        expect(await listed()).not.toContain(path)
        // And git’s record of it, which names no folder any more.
        const [files = '', record = ''] = inTrash().toSorted((a, b) => a.length - b.length)
        expect(inTrash()).toHaveLength(2)
        expect(existsSync(join(trash, files, 'node_modules', 'built'))).toBe(true)
        expect(readFileSync(join(trash, record, 'gitdir'), 'utf8').trim()).toBe(join(path, '.git'))
        // The place and the branch are free, and a second time is no fault.
        await git.removeWorktree(path, { force, trash })
        await git.addWorktree({
          path,
          branch: branch('main.a'),
          create: false,
          at: (await git.resolve('main.a')) ?? ('' as never),
        })
      },
    )

    it.each<
      [string, (place: { context: Awaited<ReturnType<typeof open>>; path: string }) => unknown]
    >([
      ['dirty', ({ path }) => writeFileSync(join(path, 'new file'), 'unsaved')],
      [
        'locked by a person',
        ({ context, path }) => context.repository.git('worktree', 'lock', '--reason', 'mine', path),
      ],
      [
        'no worktree any more',
        ({ path }) => writeFileSync(join(path, '.git'), 'gitdir: /nowhere\n'),
      ],
    ])('one that is %s is refused as git refuses it, and lies where it lay', async (_, prepare) => {
      const { git, path, trash, inTrash } = await put(prepare)
      await expect(git.requireRemovable(path)).rejects.toMatchObject({ code: 'GIT_FAILED' })
      await expect(git.removeWorktree(path, { trash })).rejects.toMatchObject({
        code: expect.stringMatching(/^(GIT_FAILED|DIRTY_WORKTREE)$/),
      })
      expect(existsSync(join(path, 'node_modules', 'built'))).toBe(true)
      expect(inTrash()).toEqual([])
    })

    it('one with a submodule whose repository lies in it is left where it is: nobody else has its commits', async () => {
      const { repository, git, path, trash, inTrash } = await put()
      const inside = join(path, 'lib')
      await repository.gitIn(path, 'init', '-q', '-b', 'main', inside)
      await repository.gitIn(inside, 'commit', '-q', '--allow-empty', '-m', 'Only here')
      await repository.gitIn(path, '-c', 'protocol.file.allow=always', 'add', 'lib')
      await repository.gitIn(path, 'commit', '-q', '-m', 'Lib')
      expect(await repository.gitIn(path, 'status', '--porcelain')).toBe('')
      await expect(git.requireRemovable(path)).rejects.toThrow('lib in it is a repository of its')
      await expect(git.removeWorktree(path, { trash })).rejects.toMatchObject({
        code: 'GIT_FAILED',
        message: expect.stringContaining('submodules'),
      })
      expect(await repository.gitIn(inside, 'log', '--format=%s')).toBe('Only here')
      expect(inTrash()).toEqual([])
    })

    it('one whose `.git` names the record of another takes nothing of that along', async () => {
      const { git, repository, path, trash, inTrash, listed } = await put()
      const other = join(repository.folder, 'other')
      await repository.git('worktree', 'add', '-q', '--detach', other)
      writeFileSync(join(path, '.git'), readFileSync(join(other, '.git'), 'utf8'))
      await expect(git.requireRemovable(path)).rejects.toMatchObject({ code: 'GIT_FAILED' })
      await git.removeWorktree(path, { trash, force: true }).catch(() => undefined)
      expect(await listed()).toContain(other)
      expect(await repository.gitIn(other, 'status', '--porcelain')).toBe('')
      expect(inTrash()).toEqual([])
    })

    it('one that was just seen clean is not looked at again, but for submodules in it', async () => {
      const { git, repository, path, trash, inTrash } = await put()
      const inside = join(path, 'lib')
      await repository.gitIn(path, 'init', '-q', '-b', 'main', inside)
      await repository.gitIn(inside, 'commit', '-q', '--allow-empty', '-m', 'Only here')
      await repository.gitIn(path, '-c', 'protocol.file.allow=always', 'add', 'lib')
      await repository.gitIn(path, 'commit', '-q', '-m', 'Lib')
      const looked = await git.status(path, { submodules: true })
      expect(looked.dirty).toEqual([])
      await expect(git.removeWorktree(path, { trash, looked })).rejects.toMatchObject({
        code: 'GIT_FAILED',
      })
      expect(inTrash()).toEqual([])
      writeFileSync(join(inside, 'unsaved'), '1')
      await repository.git('config', 'diff.ignoreSubmodules', 'all')
      expect((await git.status(path)).dirty).toEqual([])
      const again = await git.status(path, { submodules: true })
      expect(again.dirty).toEqual(['lib'])
      await expect(git.removeWorktree(path, { trash, looked: again })).rejects.toMatchObject({
        code: 'GIT_FAILED',
      })
      expect(existsSync(inside)).toBe(true)
    })

    it('where nothing can be moved there, git removes it', async () => {
      const { git, path, trash, listed } = await put(({ trash }) =>
        writeFileSync(trash, 'no folder'),
      )
      await git.removeWorktree(path, { trash })
      expect(existsSync(path)).toBe(false)
      expect(await listed()).not.toContain(path)
    })
  })

  it('works in a bare repository, without running hooks or changing the configuration', async () => {
    const { repository } = await open()
    const bare = join(repository.folder, 'bare repo.git')
    await repository.git('clone', '-q', '--bare', '.', bare)
    const trace = join(repository.folder, 'hook-ran')
    writeFileSync(join(bare, 'hooks', 'post-checkout'), `#!/bin/sh\ntouch '${trace}'\n`)
    chmodSync(join(bare, 'hooks', 'post-checkout'), 0o755)
    const before = readFileSync(join(bare, 'config'), 'utf8')
    const git = openGit({ commonDir: bare, environment: repository.env })
    const path = join(repository.folder, 'über tree')
    await git.addWorktree({
      path,
      branch: branch('main.a'),
      create: true,
      at: (await git.resolve('main'))!,
      checkoutWorkers: 4,
    })
    await git.addDetachedWorktree(join(repository.folder, 'detached'), (await git.resolve('main'))!)
    expect((await git.worktrees()).map((entry) => entry.path)).toEqual([
      bare,
      join(repository.folder, 'detached'),
      path,
    ])
    expect(readFileSync(join(repository.folder, 'detached', 'README.md'), 'utf8')).toContain(
      'repository',
    )
    expect(existsSync(trace)).toBe(false)
    expect(readFileSync(join(bare, 'config'), 'utf8')).toBe(before)
  })

  it('lists dirty, conflicted and ignored files by their real names', async () => {
    const context = await open({ files: { 'README.md': 'one\n', '.gitignore': '.env\nbuild/\n' } })
    const { path, commit } = await worktree(context, 'main.a')
    writeFileSync(join(path, 'ümlaut and space.txt'), '')
    writeFileSync(join(path, 'README.md'), 'changed\n')
    writeFileSync(join(path, '.env'), 'KEY=1')
    mkdirSync(join(path, 'build', 'deep'), { recursive: true })
    writeFileSync(join(path, 'build', 'deep', 'out.js'), '')
    expect([...(await context.git.status(path)).dirty].sort()).toEqual([
      'README.md',
      'ümlaut and space.txt',
    ])
    expect((await context.git.ignoredFiles(path, ['.env', 'build'])).sort()).toEqual([
      '.env',
      'build/deep/out.js',
    ])
    expect(await context.git.ignoredFiles(path, ['nothing'])).toEqual([])
    await commit({ 'README.md': 'theirs\n' })
    await context.repository.commit({ 'README.md': 'ours\n' })
    await context.repository.gitIn(path, 'merge', 'main').catch(() => undefined)
    expect(await context.git.status(path)).toMatchObject({
      operation: 'merge',
      conflicted: ['README.md'],
    })
  })

  it('never takes the repository around a worktree that lost its .git file for the worktree', async () => {
    const context = await open()
    const path = join(context.repository.path, 'inside')
    await context.git.addWorktree({
      path,
      branch: branch('main.a'),
      create: true,
      at: context.head,
    })
    rmSync(join(path, '.git'))
    await expect(context.git.status(path)).rejects.toMatchObject({ code: 'GIT_FAILED' })
    expect(await context.git.fastForward(path, context.head)).toMatchObject({ kind: 'not_synced' })
    await expect(
      context.git.rebase(path, { onto: context.head, forkPoint: context.head }),
    ).rejects.toMatchObject({ code: 'GIT_FAILED' })
  })

  it('fast-forwards a clean worktree only', async () => {
    const context = await open()
    const { git, repository } = context
    const a = await worktree(context, 'main.a')
    const next = await a.commit({ 'a.txt': 'a' })
    writeFileSync(join(repository.path, 'README.md'), 'being edited')
    const dirty = await git.fastForward(repository.path, next)
    expect(dirty).toMatchObject({
      kind: 'not_synced',
      reason: expect.stringContaining('README.md'),
    })
    expect(readFileSync(join(repository.path, 'README.md'), 'utf8')).toBe('being edited')
    await repository.git('checkout', '-q', '--', 'README.md')
    expect(await git.fastForward(repository.path, next)).toEqual({ kind: 'synced', head: next })
    expect(existsSync(join(repository.path, 'a.txt'))).toBe(true)
    const own = (await repository.commit({ 'own.txt': '1' })) as Sha
    expect(await git.fastForward(repository.path, next)).toEqual({ kind: 'synced', head: own })
    const other = await a.commit({ 'b.txt': 'b' })
    expect(await git.fastForward(repository.path, other)).toMatchObject({
      kind: 'not_synced',
      reason: expect.stringContaining('diverged'),
    })
  })

  it('fast-forwards a branch only where that is checked out, in a worktree of this repository', async () => {
    const context = await open()
    const { git, repository, head } = context
    const a = await worktree(context, 'main.a')
    const next = await a.commit({ 'a.txt': 'a' })
    const headOf = (path: string) => repository.gitIn(path, 'rev-parse', 'HEAD')
    const clone = join(repository.folder, 'clone')
    await repository.git('clone', '-q', repository.path, clone)
    await repository.gitIn(clone, 'fetch', '-q', 'origin', 'main.a')
    for (const path of [a.path, clone, join(repository.folder, 'gone')])
      expect(await git.fastForward(path, next, branch('main')), path).toEqual({ kind: 'elsewhere' })
    expect(await headOf(clone)).toBe(head)
    await repository.git('checkout', '-q', '--detach')
    expect(await git.fastForward(repository.path, next, branch('main'))).toEqual({
      kind: 'elsewhere',
    })
    expect(await headOf(repository.path)).toBe(head)

    await repository.git('checkout', '-q', 'main')
    writeFileSync(join(repository.path, 'README.md'), 'being edited')
    expect(await git.fastForward(repository.path, next, branch('main'))).toMatchObject({
      kind: 'not_synced',
      reason: expect.stringContaining('README.md'),
    })
    await repository.git('checkout', '-q', '--', 'README.md')
    expect(await git.fastForward(repository.path, next, branch('main'))).toEqual({
      kind: 'synced',
      head: next,
    })
    expect(await git.fastForward(a.path, head, branch('main.a'))).toEqual({
      kind: 'synced',
      head: next,
    })
  })
})

describe('hasHeld', () => {
  it('knows what a branch had before it was rewritten, and nothing that somebody else put on it elsewhere', async () => {
    const context = await open()
    const { repository, git, head } = context
    const { path, commit } = await worktree(context, 'main.a')
    const first = await commit({ 'a.txt': '1' })
    const second = await commit({ 'a.txt': '2' })
    const base = (await repository.commit({ 'main.txt': 'm' })) as Sha
    await git.rebase(path, { onto: base, forkPoint: head })
    const rewritten = (await git.resolve('main.a'))!
    const others = (await repository.gitIn(
      path,
      'commit-tree',
      '-p',
      second,
      '-m',
      'Of somebody else',
      `${second}^{tree}`,
    )) as Sha
    for (const held of [head, first, second, rewritten])
      expect(await git.hasHeld(branch('main.a'), held)).toBe(true)
    expect(await git.hasHeld(branch('main.a'), others)).toBe(false)
    expect(await git.hasHeld(branch('nowhere'), first)).toBe(false)
    expect(await git.hasHeld(branch('main.a'), 'f'.repeat(40) as Sha)).toBe(false)
  })
})

describe('rebase', () => {
  it('keeps merges of child work and leaves signing and hooks out', async () => {
    const context = await open()
    const { repository, git, head } = context
    await repository.git('config', 'commit.gpgSign', 'true')
    await repository.git('config', 'gpg.program', '/bin/false')
    const parent = await worktree(context, 'main.a')
    await repository.gitIn(parent.path, 'config', 'commit.gpgSign', 'false')
    await parent.commit({ 'a.txt': 'a' })
    const child = await worktree(context, 'main.a.b', (await git.resolve('main.a'))!)
    await child.commit({ 'b.txt': 'b' })
    await repository.gitIn(parent.path, 'merge', '-q', '--no-ff', '-m', 'Merge b', 'main.a.b')
    const base = (await repository.commit({ 'main.txt': 'm' })) as Sha
    await repository.git('config', 'commit.gpgSign', 'true')

    const result = await git.rebase(parent.path, { onto: base, forkPoint: head })
    expect(result.kind).toBe('rebased')
    const tip = (await git.resolve('main.a'))!
    expect(await git.isAncestor(base, tip)).toBe(true)
    expect(
      (await git.commits(base, tip)).map((commit) => [commit.subject, commit.parents.length]),
    ).toEqual([
      ['Merge b', 2],
      ['Work', 1],
      ['Work', 1],
    ])
    expect(await git.rebase(parent.path, { onto: base, forkPoint: base })).toEqual({
      kind: 'up_to_date',
    })
  })

  it(
    verifies(
      'R004-17',
      'leaves a conflict in progress with its files, and an abort restores everything',
    ),
    async () => {
      const context = await open()
      const { repository, git, head } = context
      const { path, commit } = await worktree(context, 'main.a')
      const mine = await commit({ 'README.md': 'mine\n', 'other.txt': '1' })
      const base = (await repository.commit({ 'README.md': 'theirs\n' })) as Sha
      expect(await git.rebase(path, { onto: base, forkPoint: head })).toEqual({
        kind: 'conflict',
        files: ['README.md'],
      })
      expect(await git.status(path)).toMatchObject({
        operation: 'rebase',
        conflicted: ['README.md'],
      })
      expect(await git.rebase(path, { onto: base, forkPoint: head })).toEqual({
        kind: 'conflict',
        files: ['README.md'],
      })
      await git.abortRebase(path)
      await git.abortRebase(path)
      expect(await git.status(path)).toEqual({
        branch: 'main.a',
        head: mine,
        dirty: [],
        conflicted: [],
        operation: null,
      })
      expect(readFileSync(join(path, 'README.md'), 'utf8')).toBe('mine\n')
    },
  )

  it('refuses a dirty worktree and undoes a rebase that an untracked file stops', async () => {
    const context = await open()
    const { repository, git, head } = context
    const { path, commit } = await worktree(context, 'main.a')
    const mine = await commit({ 'a.txt': 'a' })
    const base = (await repository.commit({ 'in the way.txt': 'theirs' })) as Sha
    writeFileSync(join(path, 'a.txt'), 'half done')
    await expect(git.rebase(path, { onto: base, forkPoint: head })).rejects.toMatchObject({
      code: 'DIRTY_WORKTREE',
    })
    await repository.gitIn(path, 'checkout', '-q', '--', 'a.txt')
    writeFileSync(join(path, 'in the way.txt'), 'mine')
    await expect(git.rebase(path, { onto: base, forkPoint: head })).rejects.toMatchObject({
      code: 'GIT_FAILED',
      message: expect.stringContaining('in the way.txt'),
    })
    expect(await git.status(path)).toMatchObject({ branch: 'main.a', head: mine, operation: null })
    expect(readFileSync(join(path, 'in the way.txt'), 'utf8')).toBe('mine')
  })

  it('merges as text where .gitattributes names a driver the user has configured', async () => {
    const context = await open({
      files: { 'list.txt': '1\n2\n3\n4\n5\n6\n7\n8\n', '.gitattributes': '*.txt merge=mine\n' },
    })
    const { repository, git, head } = context
    const trace = join(repository.folder, 'driver-ran')
    await repository.git('config', 'merge.mine.driver', `touch '${trace}'`)
    const { path, commit } = await worktree(context, 'main.a')
    const theirs = await commit({ 'list.txt': '1\n2\n3\n4\n5\n6\n7\neight\n' })
    const base = (await repository.commit({ 'list.txt': 'one\n2\n3\n4\n5\n6\n7\n8\n' })) as Sha
    expect((await git.mergeTree(base, theirs)).kind).toBe('clean')
    expect((await git.rebase(path, { onto: base, forkPoint: head })).kind).toBe('rebased')
    expect(readFileSync(join(path, 'list.txt'), 'utf8')).toBe('one\n2\n3\n4\n5\n6\n7\neight\n')
    expect(existsSync(trace)).toBe(false)
  })
})

describe('remotes', () => {
  async function withRemote(options: TempRepositoryOptions = {}) {
    const context = await open(options)
    const url = join(context.repository.folder, 'a remote.git')
    await context.git.initBare(url)
    await context.git.addRemote('origin', url)
    return { ...context, url }
  }

  it('pushes exactly what the lease allows', async () => {
    const context = await withRemote()
    const { git, head } = context
    const a = await worktree(context, 'main.a')
    const first = await a.commit({ 'a.txt': '1' })
    const second = await a.commit({ 'a.txt': '2' })
    expect(
      await git.push('origin', { sha: first, branch: branch('main.a'), expected: null }),
    ).toEqual({ kind: 'pushed' })
    expect(
      await git.push('origin', { sha: second, branch: branch('main.a'), expected: null }),
    ).toMatchObject({ kind: 'rejected' })
    expect(
      await git.push('origin', { sha: second, branch: branch('main.a'), expected: head }),
    ).toMatchObject({ kind: 'rejected' })
    expect(await git.remoteTip('origin', branch('main.a'))).toBe(first)
    expect(
      await git.push('origin', { sha: second, branch: branch('main.a'), expected: first }),
    ).toEqual({ kind: 'pushed' })
    expect(await git.push('origin', { sha: first, branch: branch('main.a') })).toMatchObject({
      kind: 'rejected',
      reason: expect.stringContaining('non-fast-forward'),
    })
    expect(
      await git.push('origin', { sha: first, branch: branch('main.a'), expected: second }),
    ).toEqual({ kind: 'pushed' })
    expect(await git.remoteTips('origin')).toEqual(new Map([['main.a', first]]))
    expect(await git.deleteRemoteBranch('origin', branch('main.a'), second)).toMatchObject({
      kind: 'rejected',
    })
    await git.push('origin', { sha: first, branch: branch('main.b') })
    const several = await git.deleteRemoteBranches(
      'origin',
      new Map([
        [branch('main.a'), second],
        [branch('main.b'), first],
      ]),
    )
    expect(several.get(branch('main.a'))).toMatchObject({ kind: 'rejected' })
    expect(several.get(branch('main.b'))).toEqual({ kind: 'pushed' })
    expect(await git.remoteTip('origin', branch('main.b'))).toBeNull()
    expect(await git.deleteRemoteBranch('origin', branch('main.a'), first)).toEqual({
      kind: 'pushed',
    })
    expect(await git.remoteTip('origin', branch('main.a'))).toBeNull()
  })

  it('fetches named branches, many callers at once, and names one that is not there', async () => {
    const context = await withRemote()
    const { git, repository, url, head } = context
    await git.push('origin', { sha: head, branch: branch('main'), expected: null })
    await git.push('origin', { sha: head, branch: branch('other'), expected: null })
    const clone = join(repository.folder, 'clone')
    await repository.git('clone', '-q', '-b', 'main', url, clone)
    await repository.gitIn(clone, 'commit', '-q', '--allow-empty', '-m', 'Elsewhere')
    await repository.gitIn(clone, 'push', '-q', 'origin', 'main')
    await Promise.all(Array.from({ length: 10 }, () => git.fetch('origin', [branch('main')])))
    expect(await git.resolve('refs/remotes/origin/main')).toBe(
      await repository.gitIn(clone, 'rev-parse', 'HEAD'),
    )
    await git.fetch('origin')
    expect(await git.resolve('refs/remotes/origin/other')).toBe(head)
    await expect(git.fetch('origin', [branch('nope')])).rejects.toMatchObject({
      code: 'GIT_FAILED',
      facts: { branch: 'nope' },
    })
    expect(await git.defaultBranch('origin')).toBe('main')
  })

  it('fetches while a worktree is just being added, whose HEAD git writes as zeros at first', async () => {
    const { git: plain, repository, url, head } = await withRemote()
    await plain.push('origin', { sha: head, branch: branch('main'), expected: null })
    const clone = join(repository.folder, 'clone')
    await repository.git('clone', '-q', '-b', 'main', url, clone)
    await repository.gitIn(clone, 'commit', '-q', '--allow-empty', '-m', 'Elsewhere')
    await repository.gitIn(clone, 'push', '-q', 'origin', 'main')
    const words: string[] = []
    const watched: Exec = async (...command) => {
      const result = await exec(...command)
      if (command[1].includes('fetch')) {
        words.push(result.stderr)
        // By now the worktree has been added.
        rmSync(half, { recursive: true, force: true })
      }
      return result
    }
    const git = openGit({ commonDir: plain.commonDir, environment: repository.env, exec: watched })
    const half = join(git.commonDir, 'worktrees', 'half')
    mkdirSync(half, { recursive: true })
    writeFileSync(join(half, 'HEAD'), `${'0'.repeat(40)}\n`)
    writeFileSync(join(half, 'commondir'), '../..\n')
    writeFileSync(join(half, 'gitdir'), `${join(repository.folder, 'half', '.git')}\n`)
    await git.fetch('origin', [branch('main')])
    expect(words).toEqual([expect.stringContaining('bad object'), ''])
    expect(await git.resolve('refs/remotes/origin/main')).toBe(
      await repository.gitIn(clone, 'rev-parse', 'HEAD'),
    )
  })

  it('says that a remote is gone, whatever was wanted of it', async () => {
    const { git, url, head } = await withRemote()
    rmSync(url, { recursive: true })
    const gone = { code: 'FORGE_UNAVAILABLE', facts: { remote: 'origin' } }
    await expect(git.fetch('origin', [branch('main')])).rejects.toMatchObject(gone)
    await expect(
      git.push('origin', { sha: head, branch: branch('main'), expected: null }),
    ).rejects.toMatchObject(gone)
    await expect(git.remoteTip('origin', branch('main'))).rejects.toMatchObject(gone)
    await expect(git.defaultBranch('origin')).rejects.toMatchObject(gone)
    await expect(git.fetch('nosuch')).rejects.toMatchObject({ code: 'FORGE_UNAVAILABLE' })
  })

  it('adds, lists and removes remotes, with insteadOf applied', async () => {
    const { git, repository, url } = await withRemote()
    await repository.git('config', 'url.https://example.invalid/.insteadOf', 'ex:')
    await git.addRemote('other', 'ex:thing')
    expect(await git.remotes()).toEqual(
      new Map([
        ['origin', url],
        ['other', 'https://example.invalid/thing'],
      ]),
    )
    await git.removeRemote('other')
    expect([...(await git.remotes()).keys()]).toEqual(['origin'])
  })
})

describe('isMerged', () => {
  it('knows ancestors, squashes, rebases, and squashes that were built upon', async () => {
    const context = await open({ files: { 'code.txt': '1\n2\n3\n4\n5\n' } })
    const { repository, git, head } = context
    const squash = async (name: string, message: string): Promise<Sha> => {
      await repository.git('merge', '-q', '--squash', name)
      await repository.git('commit', '-q', '-m', message)
      return (await git.resolve('main'))!
    }
    const a = await worktree(context, 'main.a')
    await a.commit({ 'code.txt': 'one\n2\n3\n4\n5\n' })
    const tip = await a.commit({ 'a.txt': 'a' })
    expect(await git.isMerged(tip, head)).toBe(false)
    const squashed = await squash('main.a', 'Squash a')
    expect(await git.isMerged(tip, squashed)).toBe(true)
    const later = (await repository.commit({ 'code.txt': 'ONE\n2\n3\n4\n5\n' })) as Sha
    expect(await git.isMerged(tip, later)).toBe(true)
    const more = await a.commit({ 'more.txt': 'not merged' })
    expect(await git.isMerged(more, later)).toBe(false)

    const b = await worktree(context, 'main.b')
    await b.commit({ 'b.txt': '1' })
    const picked = await b.commit({ 'b2.txt': '2' })
    await repository.git('cherry-pick', 'main.b~1', 'main.b')
    const built = (await repository.commit({ 'b.txt': 'changed since' })) as Sha
    expect(await git.isMerged(picked, built)).toBe(true)
  })
})

describe('objects', () => {
  it('merges without a worktree, names conflicts, and distinguishes a missing commit from a conflict', async () => {
    const context = await open()
    const { git, repository } = context
    const a = await worktree(context, 'main.a')
    const mine = await a.commit({ 'README.md': 'mine\n', 'ä.txt': 'a' })
    const theirs = (await repository.commit({ 'README.md': 'theirs\n' })) as Sha
    expect(await git.mergeTree(theirs, mine)).toEqual({ kind: 'conflict', files: ['README.md'] })
    await expect(git.mergeTree(theirs, 'f'.repeat(40) as Sha)).rejects.toMatchObject({
      code: 'GIT_FAILED',
    })
    expect(await git.changedFiles(theirs, mine)).toEqual(['README.md', 'ä.txt'])
    expect(await git.diff(theirs, mine)).toContain('+++ b/ä.txt')
    expect(await git.countCommits(theirs, mine)).toBe(1)
  })

  it('makes commits with the author, date and message given', async () => {
    const { git, head } = await open()
    const { tree } = await git.readCommit(head)
    const author = { name: 'Ünï Codé', email: 'uni@example.invalid', date: '86400 +0130' }
    const message = 'Subject\n\n# not a comment\n\nCo-authored-by: A <a@example.invalid>\n'
    const sha = await git.commitTree({ tree, parents: [head], message, author })
    expect(await git.readCommit(sha)).toEqual({ sha, tree, parents: [head], author, message })
    expect(await git.identity()).toEqual({ name: 'Test Person', email: 'test@example.invalid' })
  })
})

describe('names and exclusions', () => {
  it('knows how long a branch’s name can be', async () => {
    const { repository } = await open()
    for (const longest of [
      'x'.repeat(250),
      `${'x'.repeat(250)}/${'y'.repeat(250)}`,
      'ü'.repeat(125),
    ]) {
      expect(fitsInFile(longest)).toBe(true)
      await repository.git('branch', longest)
      expect(fitsInFile(`${longest}x`)).toBe(false)
      await expect(repository.git('branch', `${longest}x`)).rejects.toThrow(/too long/)
      await repository.git('branch', '-D', longest)
    }
  })

  it('finds nothing by what is no revision', async () => {
    const { git } = await open()
    for (const revision of ['nope', '--all', 'main:README.md', '0'.repeat(40)])
      expect(await git.resolve(revision)).toBeNull()
  })

  it('deletes a branch only where it still is what was seen', async () => {
    const { git, repository, head } = await open()
    await repository.git('branch', 'x')
    const other = (await repository.commit({ 'a.txt': '1' })) as Sha
    await repository.git('branch', 'y', head)
    await repository.git('branch', 'z', head)
    await repository.git('config', 'branch.y.remote', 'origin')
    // One that has moved, and one that is checked out, keep no other.
    const several = await git.deleteBranches(
      new Map([
        [branch('y'), head],
        [branch('z'), other],
        [branch('main'), head],
        [branch('gone'), head],
      ]),
    )
    expect(several.get(branch('y'))).toBe(true)
    expect(several.get(branch('z'))).toBe(false)
    expect(several.get(branch('gone'))).toBe(false)
    expect(several.get(branch('main'))).toMatchObject({ code: 'BRANCH_CHECKED_OUT' })
    expect(await repository.git('branch', '--format=%(refname:short)')).not.toMatch(/^y$/m)
    expect(await repository.git('config', '--list')).not.toContain('branch.y.')
    await repository.git('branch', '-D', 'z')
    expect(await git.deleteBranch(branch('x'), other)).toBe(false)
    expect(await git.deleteBranch(branch('x'), head)).toBe(true)
    expect(await git.deleteBranch(branch('x'), head)).toBe(false)
    expect([...(await git.branches()).keys()]).toEqual(['main'])
  })

  it('never deletes a branch from under a worktree', async () => {
    const context = await open()
    const { path } = await worktree(context, 'main.a')
    await expect(context.git.deleteBranch(branch('main.a'), context.head)).rejects.toMatchObject({
      code: 'BRANCH_CHECKED_OUT',
      facts: { worktree: path },
    })
    expect((await context.git.status(path)).head).toBe(context.head)
    rmSync(path, { recursive: true })
    expect(await context.git.deleteBranch(branch('main.a'), context.head)).toBe(true)
  })

  it('edits info/exclude without touching lines of others', async () => {
    const { git, repository } = await open()
    const file = join(repository.path, '.git', 'info', 'exclude')
    writeFileSync(file, '# mine\n*.log')
    await git.exclude(['/.exomonad/worktrees/', '*.log'])
    await Promise.all([git.exclude(['/.exomonad/worktrees/']), git.exclude(['/.exomonad/x'])])
    expect(readFileSync(file, 'utf8')).toBe('# mine\n*.log\n/.exomonad/worktrees/\n/.exomonad/x\n')
    await git.unexclude(['/.exomonad/worktrees/', '/.exomonad/x', 'never there'])
    expect(readFileSync(file, 'utf8')).toBe('# mine\n*.log\n')
    rmSync(join(repository.path, '.git', 'info'), { recursive: true })
    await git.exclude(['a'])
    expect(readFileSync(file, 'utf8')).toBe('a\n')
  })

  it('works without any identity of the user', async () => {
    const { repository, head } = await open()
    writeFileSync(repository.env['GIT_CONFIG_GLOBAL']!, '')
    const git = openGit({ commonDir: join(repository.path, '.git'), environment: repository.env })
    const { tree } = await git.readCommit(head)
    const sha = await git.commitTree({ tree, parents: [head], message: 'By nobody' })
    expect((await git.readCommit(sha)).author).toMatchObject({
      name: 'exomonad',
      email: 'exomonad@localhost',
    })
    const author = { name: 'Ada', email: 'ada@example.invalid' }
    const others = await git.commitTree({ tree, parents: [head], message: 'By another', author })
    expect((await git.readCommit(others)).author).toMatchObject(author)
    for (const [config, name, email] of [
      ['[user]\nname = Jo\n', 'Jo', 'exomonad@localhost'],
      ['[user]\nname =\nemail = jo@example.invalid\n', 'exomonad', 'jo@example.invalid'],
      ['[user]\nname = Jo\nemail = jo@example.invalid\n', 'Jo', 'jo@example.invalid'],
    ] as const) {
      writeFileSync(repository.env['GIT_CONFIG_GLOBAL']!, config)
      const half = openGit({
        commonDir: join(repository.path, '.git'),
        environment: repository.env,
      })
      const made = await half.commitTree({ tree, parents: [head], message: 'By half' })
      expect((await half.readCommit(made)).author).toMatchObject({ name, email })
      expect(await repository.git('show', '-s', '--format=%cn <%ce>', made)).toBe(
        `${name} <${email}>`,
      )
    }
    expect(
      execFileSync('git', ['-C', repository.path, 'fsck', '--no-dangling'], {
        env: repository.env,
        stdio: 'pipe',
      }).toString(),
    ).toBe('')
  })

  it(
    'ends what waits for a remote that never answers, with all that it started',
    { timeout: 120_000 },
    async () => {
      const sockets = new Set<Socket>()
      const connected = Promise.withResolvers<void>()
      const closed = Promise.withResolvers<void>()
      const server = createServer((socket) => {
        sockets.add(socket)
        socket.on('error', () => undefined)
        socket.on('close', () => closed.resolve())
        // Read and never answered.
        socket.on('data', () => connected.resolve())
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      onTestFinished(() => {
        for (const socket of sockets) socket.destroy()
        server.close()
      })
      const { repository } = await open()
      await repository.git(
        'remote',
        'add',
        'silent',
        `http://127.0.0.1:${(server.address() as AddressInfo).port}/x.git`,
      )
      const leaving = new AbortController()
      const git = openGit({
        commonDir: join(repository.path, '.git'),
        environment: repository.env,
        signal: leaving.signal,
      })
      const asked = git.remoteTip('silent', branch('main'))
      asked.catch(() => undefined)
      await connected.promise
      leaving.abort()
      await expect(asked).rejects.toMatchObject({ name: 'ExomonadError' })
      await closed.promise
      await expect(git.fetch('silent', [branch('main')])).rejects.toMatchObject({
        name: 'ExomonadError',
      })
      expect(await git.resolve('HEAD')).not.toBeNull()
    },
  )
})

it('reads the files that lie in a folder of a commit, not those below, whatever is checked out (20.5)', async () => {
  const { repository, git } = await open({ files: { 'README.md': 'x' } })
  for (const folder of ['.github/workflows/below', 'ways'])
    mkdirSync(join(repository.path, folder), { recursive: true })
  const head = (await repository.commit({
    '.github/workflows/ci.yml': 'on: push\n',
    '.github/workflows/é b.yml': 'two\n',
    '.github/workflows/below/deep.yml': 'deep',
    'ways/a': 'a',
  })) as Sha
  await repository.commit({ '.github/workflows/ci.yml': 'changed' })
  expect(await git.filesIn(head, '.github/workflows')).toEqual([
    { path: '.github/workflows/ci.yml', text: 'on: push\n' },
    { path: '.github/workflows/é b.yml', text: 'two\n' },
  ])
  expect(await git.filesIn(head, 'nowhere')).toEqual([])
  await expect(git.filesIn('e'.repeat(40) as Sha, 'ways')).rejects.toMatchObject({
    code: 'GIT_FAILED',
  })
})
