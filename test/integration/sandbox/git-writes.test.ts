import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Git } from '../../../src/adapters/git/git.ts'
import { openGit } from '../../../src/adapters/git/open.ts'
import { confinedGit, markConfined } from '../../../src/daemon/sandbox/confined-git.ts'
import type { BranchName, Sha } from '../../../src/domain/ids.ts'
import { pathsOf, type Paths } from '../../../src/runtime/paths.ts'
import { exec } from '../../helpers/exec.ts'
import { isInstalled } from '../../helpers/sandbox.ts'
import { tempRepository, type TempRepository } from '../../helpers/temp-repository.ts'

/** Also a link that leads to nothing. */
const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined

/**
 * The daemon’s git in a repository where agents put links among what they write. Links are made
 * here: who could is no matter. What counts is what they lead to, which has to stay as it was.
 */
const branch = (name: string): BranchName => name as BranchName

describe.skipIf(!isInstalled())('git of the daemon, where an agent was ever confined', () => {
  let repository: TempRepository
  let paths: Paths
  let git: Git
  let base: Sha
  let worktree: string
  let record: string
  /** What no agent in `worktree` may write; some of it is not there. */
  let targets: string[]

  const inCommonDir = (...names: string[]): string => join(paths.commonDir, ...names)
  const addWorktree = async (name: string): Promise<string> => {
    const path = join(paths.worktrees.inside, name)
    await git.addWorktree({ path, branch: branch(name), create: true, at: base })
    return path
  }
  const contents = (): string[] =>
    targets.map((path) => (existsSync(path) ? readFileSync(path, 'latin1') : 'absent'))
  /** Another commit each time. */
  let made = 0
  const commitOn = async (parent: Sha): Promise<Sha> => {
    const { tree } = await git.readCommit(parent)
    made += 1
    return git.commitTree({ tree, parents: [parent], message: `Commit ${made}` })
  }
  /**
   * `work`, once for each target that a link leads to in place of what is there, however that ends,
   * and once more without a link: then it has to do what it is there for.
   */
  const leadsNowhere = async (place: string, work: () => Promise<void>): Promise<void> => {
    const before = contents()
    mkdirSync(dirname(place), { recursive: true })
    for (const target of targets) {
      rmSync(place, { force: true })
      symlinkSync(target, place)
      await work().catch(() => undefined)
      expect(contents(), `with a link to ${target}`).toEqual(before)
    }
    rmSync(place, { force: true })
    await work()
  }

  beforeAll(async () => {
    repository = await tempRepository({ files: { 'a/one': '1\n', 'b/two': '2\n', file: 'x\n' } })
    paths = pathsOf(join(repository.path, '.git'), repository.path)
    const { home, env } = repository
    const environment = { home, path: env['PATH'] ?? '' }
    git = openGit({
      commonDir: paths.commonDir,
      environment: env,
      exec: confinedGit({ paths, environment, exec }),
    })
    base = (await git.resolve('HEAD')) as Sha
    await repository.git('branch', 'packed')
    await repository.git('pack-refs', '--all')
    writeFileSync(inCommonDir('info', 'exclude'), '.exomonad\n')
    mkdirSync(paths.state)
    for (const file of ['store.db', 'repository.json']) writeFileSync(join(paths.state, file), file)
    const sibling = await addWorktree('sibling')
    worktree = await addWorktree('agent')
    record = inCommonDir('worktrees', 'agent')
    await markConfined(paths, worktree)
    targets = [
      join(repository.path, 'file'),
      join(repository.path, 'absent'),
      join(sibling, 'file'),
      join(home, '.gitconfig'),
      join(paths.state, 'store.db'),
      ...['config', 'HEAD', 'index', 'packed-refs', 'shallow'].map((name) => inCommonDir(name)),
      inCommonDir('worktrees', 'sibling', 'HEAD'),
    ]
  })
  afterAll(() => repository?.remove())

  it('rebases a worktree whose log leads elsewhere', async () => {
    await repository.gitIn(worktree, 'commit', '-q', '--allow-empty', '-m', 'Work')
    await leadsNowhere(join(record, 'logs', 'HEAD'), async () => {
      await git.abortRebase(worktree)
      const rebased = git.rebase(worktree, { onto: await commitOn(base), forkPoint: base })
      expect(await rebased).toMatchObject({ kind: 'rebased' })
    })
  })

  it('writes no index through a link', async () => {
    const index = join(record, 'index')
    const own = readFileSync(index)
    await leadsNowhere(index, async () => {
      if (!isThere(index)) writeFileSync(index, own)
      const to = await commitOn((await git.resolve('agent')) as Sha)
      expect(await git.fastForward(worktree, to)).toEqual({ kind: 'synced', head: to })
    })
    // `git worktree remove` looks at it, and would note in its index what it saw.
    const others = inCommonDir('worktrees', 'sibling', 'index')
    const before = readFileSync(others)
    rmSync(index)
    symlinkSync(others, index)
    for (const name of ['file', 'uncommitted']) writeFileSync(join(worktree, name), 'x\n')
    await expect(git.removeWorktree(worktree)).rejects.toThrow(
      /could not remove|modified or untracked/i,
    )
    expect(readFileSync(others)).toEqual(before)
    rmSync(index)
    writeFileSync(index, own)
  })

  it('ends no rebase but that of the worktree', async () => {
    const state = inCommonDir('rebase-merge')
    mkdirSync(state)
    const files = { 'head-name': 'detached HEAD', onto: base, 'orig-head': base }
    for (const [name, text] of Object.entries(files)) writeFileSync(join(state, name), `${text}\n`)
    symlinkSync(state, join(record, 'rebase-merge'))
    await git.abortRebase(worktree).catch(() => undefined)
    expect(existsSync(join(state, 'onto'))).toBe(true)
    for (const place of [join(record, 'rebase-merge'), state]) rmSync(place, { recursive: true })
  })

  it('makes a branch whose log was there before, as a link', async () => {
    const all = targets
    // Where git makes worktrees. No confined agent can put a link in place of that log.
    targets = targets.filter((target) => !target.includes('sibling'))
    await leadsNowhere(inCommonDir('logs', 'refs', 'heads', 'next'), async () => {
      const path = await addWorktree('next')
      expect(await git.resolve('next')).toBe(base)
      await git.removeWorktree(path)
      expect(await git.deleteBranch(branch('next'), base)).toBe(true)
      expect(existsSync(path)).toBe(false)
    })
    targets = all
  })

  it('takes a branch from a remote into one of its own', async () => {
    await repository.git('branch', 'followed', base)
    let tip = base
    await leadsNowhere(inCommonDir('logs', 'refs', 'heads', 'followed'), async () => {
      tip = await commitOn(tip)
      await repository.git('update-ref', 'refs/remotes/there/followed', tip)
      expect(await git.advanceBranch(branch('followed'), 'there')).toBe(true)
    })
  })

  it('follows a remote in the main checkout', async () => {
    const main = ['file', 'absent', '.git/HEAD', '.git/index', '.git/shallow'].map((name) =>
      join(repository.path, name),
    )
    const all = targets
    // What git writes there anyway. No confined agent can put a link in place of that log.
    targets = targets.filter((target) => !main.includes(target))
    let tip = base
    await leadsNowhere(inCommonDir('logs', 'refs', 'heads', 'main'), async () => {
      tip = await commitOn(tip)
      expect(await git.fastForward(repository.path, tip)).toEqual({ kind: 'synced', head: tip })
    })
    targets = all
  })

  it('still makes, fills, and takes away what it has to', async () => {
    const path = join(paths.worktrees.inside, 'sparse')
    await git.addWorktree({
      path,
      branch: branch('sparse'),
      create: true,
      at: base,
      sparse: ['a'],
    })
    expect([existsSync(join(path, 'a/one')), existsSync(join(path, 'b'))]).toEqual([true, false])
    const detached = join(paths.ciWork, 'run', 'tree')
    mkdirSync(dirname(detached), { recursive: true })
    await git.addDetachedWorktree(detached, base)
    expect(existsSync(join(detached, 'b/two'))).toBe(true)
    await git.removeWorktree(detached, { force: true })
    expect(existsSync(detached)).toBe(false)
    expect(await git.deleteBranch(branch('packed'), base)).toBe(true)
    // A file that large becomes a pack at once.
    await repository.git('config', 'core.bigFileThreshold', '10')
    writeFileSync(join(path, 'large'), 'x'.repeat(1000))
    expect(await git.changedPaths(base, await git.snapshotTree(path))).toContain('large')
    await git.initBare(`${paths.origin}.new`)
    expect(existsSync(join(`${paths.origin}.new`, 'HEAD'))).toBe(true)
  })

  it('brings what a partial clone lacks', async () => {
    const { path, folder, home, env } = repository
    for (const key of ['allowFilter', 'allowAnySHA1InWant'])
      await repository.git('config', `uploadpack.${key}`, 'true')
    const clone = join(folder, 'partial')
    const args = ['--quiet', '--filter=blob:none', '--no-checkout', `file://${path}`, clone]
    await repository.gitIn(folder, 'clone', ...args)
    const there = pathsOf(join(clone, '.git'), clone)
    await markConfined(there, join(there.worktrees.inside, 'agent'))
    const partial = openGit({
      commonDir: there.commonDir,
      environment: env,
      exec: confinedGit({ paths: there, environment: { home, path: env['PATH'] ?? '' }, exec }),
    })
    const worktree = join(there.worktrees.inside, 'agent')
    await partial.addWorktree({ path: worktree, branch: branch('agent'), create: true, at: base })
    expect(readFileSync(join(worktree, 'a/one'), 'utf8')).toBe('1\n')
  })
})
