import { randomBytes } from 'node:crypto'
import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { openGit } from '../../../src/adapters/git/open.ts'
import type { Git } from '../../../src/adapters/git/git.ts'
import type { BranchName, Sha } from '../../../src/domain/ids.ts'
import { exec } from '../../../src/processes/exec.ts'
import { startExomonad } from '../../helpers/daemon.ts'
import { makeLarge } from '../../helpers/large-repository.ts'
import { sharingDisk, whyNoSharingDisk } from '../../helpers/sharing-disk.ts'
import { tempRepository, type TempRepository } from '../../helpers/temp-repository.ts'
import { waitFor } from '../../helpers/wait-for.ts'

/** Worktrees that are kept ready. */

interface World {
  readonly repository: TempRepository
  readonly git: Git
  /** As the daemon that starts next. */
  readonly again: () => Git
  readonly folder: string
  readonly trash: string
  readonly tend: (git: Git, size: number, times?: number) => Promise<string[]>
  readonly spawn: (git: Git, name: string, at: string) => Promise<string>
}

/** `inside`: a folder that the worktrees are to lie in. */
async function world(inside?: string): Promise<World> {
  const repository = await tempRepository({
    files: { 'a.txt': 'a\n', 'b/c.txt': 'c\n', '.gitignore': 'ignored\n' },
  })
  onTestFinished(() => repository.remove())
  const commonDir = join(repository.path, '.git')
  const again = () => openGit({ commonDir, environment: repository.env })
  const worktrees = inside ?? join(repository.folder, 'worktrees')
  const folder = join(worktrees, '.pool')
  const trash = join(repository.folder, 'trash')
  const ready = () => (existsSync(folder) ? readdirSync(folder).toSorted() : [])
  return {
    repository,
    git: again(),
    again,
    folder,
    trash,
    tend: async (git, size, times = size + 1) => {
      const at = (await git.resolve('main')) as Sha
      for (let step = 0; step < times; step += 1)
        await git.tendPool({ folder, size, at, trash, checkoutWorkers: 1 })
      return ready()
    },
    spawn: async (git, name, at) => {
      const path = join(worktrees, name)
      const branch = `main.${name}` as BranchName
      await git.addWorktree({ path, branch, create: true, at: at as Sha, pool: folder })
      expect(await repository.gitIn(path, 'rev-parse', 'HEAD')).toBe(at)
      expect(await repository.gitIn(path, 'rev-parse', '--abbrev-ref', 'HEAD')).toBe(branch)
      expect(await repository.gitIn(path, 'status', '--porcelain', '--ignored')).toBe('')
      expect(await repository.git('worktree', 'list')).toContain(path)
      return path
    },
  }
}

describe('worktrees that are kept ready', () => {
  it('are taken by a spawn, each once, at the commit that it wants, and are nobody’s before', async () => {
    const { repository, git, tend, spawn, folder } = await world()
    const first = await repository.git('rev-parse', 'main')
    expect(await tend(git, 2)).toHaveLength(2)
    expect(await git.worktrees()).toHaveLength(1)
    const one = await spawn(git, 'one', first)
    expect(readdirSync(folder)).toHaveLength(1)
    const second = await repository.commit({ 'a.txt': 'changed\n', 'new.txt': 'new\n' })
    const two = await spawn(git, 'two', second)
    expect(existsSync(join(two, 'new.txt'))).toBe(true)
    expect(readdirSync(folder)).toEqual([])
    // None is left: it is made as ever.
    await spawn(git, 'three', first)
    expect(await repository.git('reflog', 'show', 'main.one')).toMatch(/branch: Created from/)
    expect((await git.worktrees()).map(({ branch }) => branch).toSorted()).toEqual([
      'main',
      'main.one',
      'main.three',
      'main.two',
    ])
    await git.removeWorktree(one)
    expect(existsSync(one)).toBe(false)
    expect(await repository.git('worktree', 'list')).not.toContain(one)
  })

  it('with an index in two parts are whole as well, and so is one that was taken', async () => {
    const { repository, git, tend, spawn } = await world()
    await repository.git('config', 'core.splitIndex', 'true')
    // Nothing is written to a part that all share as long as little has changed.
    await repository.git('config', 'splitIndex.maxPercentChange', '0')
    expect(await tend(git, 2)).toHaveLength(2)
    const path = await spawn(git, 'one', await repository.git('rev-parse', 'main'))
    expect(await repository.gitIn(path, 'status', '--porcelain', '--branch')).toBe('## main.one')
    const record = await repository.gitIn(path, 'rev-parse', '--git-dir')
    expect(readdirSync(record).some((name) => name.startsWith('sharedindex.'))).toBe(true)
    writeFileSync(join(path, 'a.txt'), 'mine\n')
    await repository.gitIn(path, 'commit', '-qam', 'Mine')
    const two = await spawn(git, 'two', await repository.git('rev-parse', 'main'))
    expect(await repository.gitIn(two, 'ls-files')).toBe('.gitignore\na.txt\nb/c.txt')
    expect(
      await git.changedPaths((await git.resolve('main')) as Sha, await git.snapshotTree(path)),
    ).toEqual(['a.txt'])
    await git.removeWorktree(two, { trash: join(repository.folder, 'gone') })
    expect(await repository.gitIn(path, 'status', '--porcelain')).toBe('')
  })

  it('that are not as they were checked out are nobody’s', async () => {
    const { repository, git, tend, spawn, folder } = await world()
    const at = await repository.git('rev-parse', 'main')
    const write: ((path: string) => void)[] = [
      (path) => writeFileSync(join(path, 'a.txt'), 'somebody’s\n'),
      (path) => writeFileSync(join(path, 'left.txt'), 'somebody’s\n'),
      (path) => writeFileSync(join(path, 'ignored'), 'somebody’s\n'),
    ]
    for (const [index, change] of write.entries()) {
      const fresh = openGit({
        commonDir: join(repository.path, '.git'),
        environment: repository.env,
      })
      const [name = ''] = await tend(fresh, 1)
      change(join(folder, name))
      await spawn(fresh, `agent-${index}`, at)
      expect(existsSync(join(folder, name))).toBe(false)
    }
    expect(await git.worktrees()).toHaveLength(1 + write.length)
  })

  it('that a spawn looked over ahead are not looked over again, unless it was long ago', async () => {
    const { repository, tend, spawn, folder } = await world()
    const started: string[] = []
    const git = openGit({
      commonDir: join(repository.path, '.git'),
      environment: repository.env,
      exec: (file, args, options) => {
        const verb = ['status', 'update-ref', 'symbolic-ref'].find((one) => args.includes(one))
        if (verb !== undefined) started.push(verb)
        return exec(file, args, options)
      },
    })
    const at = await repository.git('rev-parse', 'main')
    await tend(git, 3)
    started.length = 0
    await git.lookOverPool(folder, 1)
    await spawn(git, 'one', at)
    expect(started).toEqual(['status', 'update-ref'])
    await git.lookOverPool(folder, 2)
    await vi.waitFor(
      () => expect(started.filter((verb) => verb === 'status')).toHaveLength(3),
      45_000,
    )
    const [first = '', second = ''] = readdirSync(folder)
    await spawn(git, 'two', at)
    const left = existsSync(join(folder, first)) ? first : second
    writeFileSync(join(folder, left, 'a.txt'), 'somebody’s\n')
    const now = performance.now()
    const clock = vi.spyOn(performance, 'now').mockReturnValue(now + 3_000)
    onTestFinished(() => clock.mockRestore())
    await spawn(git, 'three', at)
    expect(existsSync(join(folder, left))).toBe(false)
  })

  it('says of a branch that is there already what it says without any, and leaves nothing', async () => {
    const { repository, git, tend, spawn, folder } = await world()
    const at = await repository.git('rev-parse', 'main')
    await repository.git('branch', 'main.taken')
    await tend(git, 1)
    await expect(spawn(git, 'taken', at)).rejects.toMatchObject({ code: 'BRANCH_EXISTS' })
    expect(existsSync(join(folder, '..', 'taken'))).toBe(false)
    expect(await repository.git('branch', '--format=%(refname:short)')).toBe('main\nmain.taken')
    expect((await repository.git('worktree', 'list')).split('\n')).toHaveLength(1)
  })

  it('follow the branch, are as many as wanted, and outlive the daemon where they are whole', async () => {
    const { repository, git, again, tend, folder } = await world()
    expect(await tend(git, 4)).toHaveLength(4)
    const head = await repository.commit({ 'a.txt': 'newer\n' })
    const four = await tend(git, 4)
    for (const name of four)
      expect(await repository.gitIn(join(folder, name), 'rev-parse', 'HEAD')).toBe(head)
    // Left in the middle of a checkout, without git’s record of it, and without a folder.
    const [half = '', lost = '', cut = '', locked = ''] = four
    rmSync(join(folder, half, 'a.txt'))
    rmSync(join(repository.path, '.git', 'worktrees', lost), { recursive: true })
    mkdirSync(join(folder, 'empty'))
    // A process that was ended in the middle of its index.
    writeFileSync(join(repository.path, '.git', 'worktrees', locked, 'index.lock'), '')
    // A spawn that was cut off before its rename: undoing it takes git's record away.
    const agents = join(folder, '..', 'cut')
    writeFileSync(join(repository.path, '.git', 'worktrees', cut, 'gitdir'), `${agents}/.git\n`)
    const next = again()
    const left = await tend(next, 3, 1)
    expect(left).toHaveLength(1)
    for (const name of [...four, 'empty']) expect(left).not.toContain(name)
    await next.removeWorktree(agents, { force: true })
    expect(await tend(next, 3)).toHaveLength(3)
    expect(await tend(next, 1)).toHaveLength(1)
    expect((await repository.git('worktree', 'list')).split('\n')).toHaveLength(2)
    await next.endPool(folder, join(repository.folder, 'trash'))
    expect(existsSync(folder)).toBe(false)
    expect((await repository.git('worktree', 'list')).split('\n')).toHaveLength(1)
  })

  it('one that can’t be made leaves nothing, and is tried again after a minute', async () => {
    const { repository, git, tend, folder } = await world()
    await repository.commit({ '.gitattributes': '*.bin filter=broken\n', 'a.bin': 'a\n' })
    await repository.git('config', 'filter.broken.smudge', 'false')
    await repository.git('config', 'filter.broken.required', 'true')
    const listed = async () => (await repository.git('worktree', 'list')).split('\n')
    await expect(tend(git, 1)).rejects.toThrow(/check out/)
    expect(readdirSync(folder)).toEqual([])
    expect(await listed()).toHaveLength(1)
    await repository.git('config', 'filter.broken.smudge', 'cat')
    expect(await tend(git, 1)).toEqual([])
    const now = performance.now()
    const clock = vi.spyOn(performance, 'now').mockReturnValue(now + 61_000)
    onTestFinished(() => clock.mockRestore())
    expect(await tend(git, 1)).toHaveLength(1)
  })

  it('what could not be looked over is so the next time', async () => {
    const { git, again, tend, folder, trash } = await world()
    const [name] = await tend(git, 1)
    mkdirSync(join(folder, 'empty'))
    // Nothing can be put there.
    writeFileSync(trash, '')
    const next = again()
    await expect(tend(next, 1)).rejects.toThrow(/EEXIST|ENOTDIR/)
    rmSync(trash)
    const now = performance.now()
    const clock = vi.spyOn(performance, 'now').mockReturnValue(now + 61_000)
    onTestFinished(() => clock.mockRestore())
    expect(await tend(next, 1)).toEqual([name])
    expect(readdirSync(trash)).toHaveLength(1)
  })

  it('are found and taken behind a symlink as well', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'pool-'))
    onTestFinished(() => rmSync(outside, { recursive: true }))
    const link = join(outside, 'link')
    mkdirSync(join(outside, 'there'))
    symlinkSync(join(outside, 'there'), link)
    const { repository, git, again, tend, folder, trash } = await world(link)
    const at = (await repository.git('rev-parse', 'main')) as Sha
    const before = await tend(git, 1)
    const next = again()
    expect(await tend(next, 1)).toEqual(before)
    const path = join(link, 'one')
    const branch = 'main.one' as BranchName
    await next.addWorktree({ path, branch, create: true, at, pool: folder })
    expect(readdirSync(folder)).toEqual([])
    expect((await next.worktrees()).map((entry) => entry.path)).toContain(
      join(outside, 'there', 'one'),
    )
    await tend(again(), 1)
    await again().endPool(folder, trash)
    expect(await repository.git('worktree', 'list')).not.toContain('.pool')
  })

  it('one that names git’s record in relation to its place still names it after the rename', async () => {
    const { repository, git, tend, spawn, folder } = await world()
    const [name = ''] = await tend(git, 1)
    const record = join(repository.path, '.git', 'worktrees', name)
    const place = join(folder, name)
    writeFileSync(join(place, '.git'), `gitdir: ${relative(place, record)}\n`)
    await spawn(git, 'one', await repository.git('rev-parse', 'main'))
    expect(readdirSync(folder)).toEqual([])
    expect(existsSync(record)).toBe(true)
  })

  it('one that can’t be taken, nor taken away, holds no spawn up', async () => {
    const { repository, git, tend, spawn, folder } = await world()
    const [name = ''] = await tend(git, 1)
    rmSync(join(folder, name, '.git'))
    await spawn(git, 'one', await repository.git('rev-parse', 'main'))
  })

  const memory = '/dev/shm'
  const isOtherDisk = existsSync(memory) && statSync(memory).dev !== statSync(tmpdir()).dev
  it.skipIf(!isOtherDisk)('one is not taken to another disk; the spawn makes its own', async () => {
    const { repository, git, tend, folder } = await world()
    const at = (await repository.git('rev-parse', 'main')) as Sha
    await tend(git, 1)
    const elsewhere = mkdtempSync(join(memory, 'pool-'))
    onTestFinished(() => rmSync(elsewhere, { recursive: true }))
    const path = join(elsewhere, 'one')
    const branch = 'main.one' as BranchName
    await git.addWorktree({ path, branch, create: true, at, pool: folder })
    expect(await repository.gitIn(path, 'status', '--porcelain', '--branch')).toBe('## main.one')
    expect(readdirSync(folder)).toEqual([])
    expect((await repository.git('worktree', 'list')).split('\n')).toHaveLength(2)
  })

  const [, major = 0, minor = 0] =
    /(\d+)\.(\d+)/.exec(execFileSync('git', ['--version'], { encoding: 'utf8' })) ?? []
  const hasRelative = Number(major) > 2 || (Number(major) === 2 && Number(minor) >= 48)
  it.skipIf(!hasRelative)('have absolute paths where git would make relative ones', async () => {
    const { repository, git, tend, spawn, folder } = await world()
    await repository.git('config', 'worktree.useRelativePaths', 'true')
    const [name = ''] = await tend(git, 1)
    expect(readFileSync(join(folder, name, '.git'), 'utf8')).toMatch(/^gitdir: \//)
    await spawn(git, 'one', await repository.git('rev-parse', 'main'))
    expect(readdirSync(folder)).toEqual([])
  })
})

const why = whyNoSharingDisk()
describe.skipIf(why !== null)('on a file system that shares blocks', () => {
  it('of an index in two parts none is copied, and all are whole', async () => {
    const disk = sharingDisk()
    onTestFinished(disk.remove)
    const { repository, git, tend, spawn } = await world(disk.folder)
    await repository.git('config', 'core.splitIndex', 'true')
    expect(await tend(git, 3)).toHaveLength(3)
    const at = await repository.git('rev-parse', 'main')
    for (const name of ['one', 'two', 'three'])
      expect(await repository.gitIn(await spawn(git, name, at), 'status', '--porcelain')).toBe('')
  })

  it('further ones are copied from one that is ready, whole, and take no room for their files', async () => {
    const disk = sharingDisk()
    onTestFinished(disk.remove)
    const all = await world(disk.folder)
    const { repository, git, tend, spawn, folder } = all
    const at = await repository.commit({
      'large.bin': randomBytes(30_000_000).toString('latin1'),
      'b/link.txt': 'linked\n',
    })
    expect(await tend(git, 1)).toHaveLength(1)
    const before = disk.used()
    expect(await tend(git, 4)).toHaveLength(4)
    expect(disk.used() - before).toBeLessThan(5_000_000)
    for (const name of ['one', 'two', 'three', 'four']) {
      const path = await spawn(git, name, at)
      writeFileSync(join(path, 'b', 'link.txt'), name)
    }
    expect(readdirSync(folder)).toEqual([])
  })
})

it('[worktree] pool: agents get what is ready, nobody is shown it, and deinit takes it away', async () => {
  const tree = await startExomonad({ config: '[worktree]\npool = 2\n' })
  onTestFinished(() => tree.stop())
  const pool = join(tree.repository.path, '.exomonad', 'worktrees', '.pool')
  const ready = () => (existsSync(pool) ? readdirSync(pool).toSorted() : [])
  await waitFor('the pool', () => ready().length === 2)
  const before = ready()
  const doctor = (await tree.command(['doctor', '--json'])).json.findings
  expect(JSON.stringify(doctor)).not.toContain('.pool')
  await tree.call('spawn_workers', { specs: [{ name: 'one', prompt: 'x' }] })
  expect(before.filter((name) => !ready().includes(name))).toHaveLength(1)
  expect((await tree.tree()).counts).toMatchObject({ agents: 1 })
  await tree.crash()
  mkdirSync(join(pool, 'left'))
  expect((await tree.command(['daemon', 'start'])).code).toBe(0)
  await waitFor('the pool again', () => ready().length === 2 && !ready().includes('left'))
  await waitFor('the trash to be empty', () => readdirSync(join(tree.state, 'trash')).length === 0)
  const config = join(tree.repository.path, '.exomonad', 'config.toml')
  const text = readFileSync(config, 'utf8')
  writeFileSync(config, text.replace('[worktree]', '[worktree]\nroot = "sibling"'))
  const sibling = join(`${tree.repository.path}.worktrees`, '.pool')
  await waitFor(
    'the pool of the other root',
    () => existsSync(sibling) && readdirSync(sibling).length === 2,
  )
  expect(existsSync(pool)).toBe(false)
  writeFileSync(config, text)
  await waitFor('the first one', () => ready().length === 2 && !existsSync(sibling), {
    limit: 60_000,
  })
  expect((await tree.command(['down'])).code).toBe(0)
  expect((await tree.command(['deinit', '--force'])).code).toBe(0)
  expect(existsSync(pool)).toBe(false)
  expect(await tree.repository.git('worktree', 'list', '--porcelain')).not.toContain('.pool')
})

it('doctor says of a large repository what a spawn waits for, and what there is against it', async () => {
  const tree = await startExomonad({ init: false, files: null })
  onTestFinished(() => tree.stop())
  await makeLarge(tree.repository, { files: 10_001 })
  expect((await tree.command(['init'])).code).toBe(0)
  const said = async () =>
    (await tree.command(['doctor', '--json'])).json.findings.find(
      ({ subject }: { subject: string }) => subject === 'worktrees',
    )
  const shares = await openGit({
    commonDir: join(tree.repository.path, '.git'),
    environment: tree.repository.env,
  }).canShareBlocks(tree.state)
  const room = shares ? /share blocks/ : /shares no blocks/
  expect(await said()).toMatchObject({
    status: 'note',
    found: 'each spawn checks out 10001 files, by 4 at a time',
    fix: expect.stringMatching(room),
  })
  const config = join(tree.repository.path, '.exomonad', 'config.toml')
  writeFileSync(config, `${readFileSync(config, 'utf8')}\n[worktree]\npool = 1\n`)
  expect(await said()).toMatchObject({
    status: 'ok',
    found: expect.stringMatching(/^1 are kept ready; /),
  })
})
