import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ensureLocalRemote } from '../../../src/adapters/forge/local/remote.ts'
import { openGit } from '../../../src/adapters/git/open.ts'
import type { Git } from '../../../src/adapters/git/git.ts'
import { KEPT_REFS } from '../../../src/adapters/git/lending.ts'
import type { BranchName, Sha } from '../../../src/domain/ids.ts'
import { pathsOf, type Paths } from '../../../src/runtime/paths.ts'
import { makeLarge } from '../../helpers/large-repository.ts'
import { tempRepository, type TempRepository } from '../../helpers/temp-repository.ts'

/** The local forge's repository, which borrows its objects from the main one. */

const name = (text: string): BranchName => text as BranchName

interface World {
  readonly repository: TempRepository
  readonly git: Git
  readonly paths: Paths
  readonly forge: (...args: string[]) => Promise<string>
  readonly push: (branch: string, sha: string) => Promise<void>
  /** As the next start of the daemon. */
  readonly again: () => Promise<void>
  /** All that throws unreachable things away, on both sides. */
  readonly cleanOut: (folders?: readonly string[]) => Promise<void>
}

async function openWorld(repository: TempRepository): Promise<World> {
  const paths = pathsOf(join(repository.path, '.git'), repository.path)
  let environment = async (): Promise<Record<string, string>> => ({})
  const git = openGit({
    commonDir: paths.commonDir,
    environment: repository.env,
    pushEnvironment: () => environment(),
  })
  const again = async () => {
    const local = await ensureLocalRemote({ git, paths, configuredRemote: undefined })
    environment = local.pushEnvironment
  }
  await again()
  const forge = (...args: string[]) => repository.gitIn(paths.origin, ...args)
  return {
    repository,
    git,
    paths,
    forge,
    again,
    push: async (branch, sha) =>
      expect(await git.push('exomonad', { sha: sha as Sha, branch: name(branch) })).toEqual({
        kind: 'pushed',
      }),
    cleanOut: async (folders = [repository.path, paths.origin]) => {
      for (const cwd of folders) {
        await repository.gitIn(cwd, 'reflog', 'expire', '--expire=now', '--all')
        await repository.gitIn(cwd, 'gc', '-q', '--prune=now')
        await repository.gitIn(cwd, 'repack', '-q', '-a', '-d', '-l')
        await repository.gitIn(cwd, 'prune', '--expire=now')
      }
    },
  }
}

async function world(): Promise<World> {
  const repository = await tempRepository()
  onTestFinished(() => repository.remove())
  return openWorld(repository)
}

/** Of what lies in the folder, in kB. */
const size = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size / 1000, 0)

const isWhole = async ({ forge }: World): Promise<void> => {
  expect(await forge('fsck', '--full', '--strict', '--no-dangling')).toBe('')
}

describe('the repository of the local forge', () => {
  it('holds nothing of what the main one has, and is found when both are moved', async () => {
    const { repository, git, forge, push, paths } = await world()
    await repository.commit({ 'big.txt': 'line\n'.repeat(100_000) })
    await push('main', (await git.resolve('main')) as string)
    expect(await forge('count-objects', '-v')).toMatch(/^count: 0\n.*\nin-pack: 0\n/)
    const moved = `${repository.path}-moved`
    renameSync(repository.path, moved)
    onTestFinished(() => rmSync(moved, { recursive: true, force: true }))
    const origin = paths.origin.replace(repository.path, moved)
    expect(await repository.gitIn(origin, 'log', '--format=%s', 'main')).toBe(
      'Change files\nFirst commit',
    )
  })

  it('loses nothing to gc, prune and repack on both sides, whatever was deleted and rewritten here', async () => {
    const all = await world()
    const { repository, git, forge, push, cleanOut } = all
    await push('main', await repository.git('rev-parse', 'main'))
    await repository.git('checkout', '-q', '-b', 'main.one')
    const one = await repository.commit({ 'one.txt': 'one\n' })
    await push('main.one', one)
    await repository.git('checkout', '-q', '-b', 'main.two', 'main')
    const two = await repository.commit({ 'two.txt': 'two\n' })
    // As an agent pushes: the guard lets it, and what it brings is kept as well.
    execFileSync('git', ['push', '-q', 'exomonad', 'main.two'], {
      cwd: repository.path,
      env: { ...repository.env, EXOMONAD_AGENT_ID: 'a', EXOMONAD_BRANCH: 'main.two' },
    })
    // A merge that no ref here ever had.
    const merged = await git.mergeTree(one as Sha, two as Sha)
    if (merged.kind !== 'clean') throw new Error('it conflicts')
    const merge = await git.commitTree({
      tree: merged.tree,
      parents: [one as Sha, two as Sha],
      message: 'Merge\n',
    })
    await push('main', merge)
    await repository.git('checkout', '-q', 'main')
    await repository.git('branch', '-q', '-D', 'main.one', 'main.two')
    await repository.git('update-ref', '-d', 'refs/remotes/exomonad/main')
    await repository.git('update-ref', '-d', 'refs/remotes/exomonad/main.one')
    await repository.git('update-ref', '-d', 'refs/remotes/exomonad/main.two')
    await repository.git('commit', '-q', '--amend', '-m', 'Rewritten')
    await cleanOut()
    await isWhole(all)
    expect(await forge('log', '--format=%s', '--no-merges', 'main')).toMatch(/First commit/)
    await git.fetch('exomonad', [name('main'), name('main.one')])
    expect(await git.resolve('refs/remotes/exomonad/main')).toBe(merge)
    await repository.git('checkout', '-q', '-b', 'main.three', one)
    const three = await repository.commit({ 'three.txt': 'three\n' })
    await push('main.three', three)
    await cleanOut()
    await isWhole(all)
    await repository.git('merge', '-q', '--no-edit', 'exomonad/main')
    expect(existsSync(join(repository.path, 'two.txt'))).toBe(true)
  })

  it('keeps what a person pushes to it from another clone, with all it goes back to here', async () => {
    const all = await world()
    const { repository, git, push, cleanOut, forge } = all
    await push('main', await repository.git('rev-parse', 'main'))
    await repository.git('checkout', '-q', '-b', 'topic')
    const topic = await repository.commit({ 'topic.txt': 'topic\n'.repeat(50) })
    await push('topic', topic)
    const clone = join(repository.folder, 'clone')
    await repository.gitIn(repository.folder, 'clone', '-q', all.paths.origin, clone)
    await repository.gitIn(clone, 'checkout', '-q', '-b', 'theirs', 'origin/topic')
    writeFileSync(join(clone, 'theirs.txt'), 'theirs\n')
    await repository.gitIn(clone, 'add', 'theirs.txt')
    await repository.gitIn(clone, 'commit', '-q', '-m', 'Theirs')
    const theirs = await repository.gitIn(clone, 'rev-parse', 'HEAD')
    await repository.gitIn(clone, 'push', '-q', 'origin', 'theirs')
    // What it was based on goes, here and there.
    await repository.git('checkout', '-q', 'main')
    await repository.git('branch', '-q', '-D', 'topic')
    await git.deleteRemoteBranch('exomonad', name('topic'), topic as Sha)
    for (const ref of (
      await repository.git('for-each-ref', '--format=%(refname)', KEPT_REFS)
    ).split('\n'))
      if (ref.endsWith(topic)) await repository.git('update-ref', '-d', ref)
    await cleanOut()
    await isWhole(all)
    expect(await forge('show', `${theirs}:topic.txt`)).toMatch(/^topic/)
    await git.fetch('exomonad', [name('theirs')])
    expect(await repository.git('show', `${theirs}:theirs.txt`)).toBe('theirs')
  })

  it('refuses a push of what can’t be kept', async () => {
    const { repository, paths, push } = await world()
    await push('main', await repository.git('rev-parse', 'main'))
    const sha = await repository.commit({ 'a.txt': 'a\n' })
    const folder = join(paths.commonDir, 'refs', 'exomonad')
    rmSync(folder, { recursive: true })
    writeFileSync(folder, 'in the way\n')
    await expect(repository.git('push', '-q', 'exomonad', 'main')).rejects.toThrow(
      `exomonad: ${sha} can't be kept in the repository that this one borrows its objects from.`,
    )
    expect(await repository.gitIn(paths.origin, 'rev-parse', 'main')).not.toBe(sha)
  })

  it('lets go of what it needs no more, of nothing younger than a push takes, and keeps anew what lost its ref', async () => {
    const { repository, push, again, forge, git } = await world()
    await push('main', await repository.git('rev-parse', 'main'))
    const first = await repository.commit({ 'a.txt': '1\n' }, 'one')
    const second = await repository.commit({ 'a.txt': '2\n' }, 'two')
    const kept = async () =>
      (await repository.git('for-each-ref', '--format=%(refname)', KEPT_REFS)).split('\n')
    await push('main', second)
    const old = (sha: string) => `${KEPT_REFS}1700000000-${sha}`
    await repository.git('update-ref', old(first), first)
    await repository.git('update-ref', old(second), second)
    const gone = await git.commitTree({
      tree: (await repository.git('rev-parse', 'main^{tree}')) as Sha,
      parents: [],
      message: 'Gone\n',
    })
    await repository.git('update-ref', old(gone), gone)
    const now = Math.floor(Date.now() / 1000)
    await repository.git('update-ref', `${KEPT_REFS}${now}-${first}`, first)
    await again()
    const left = await kept()
    expect(left).not.toContain(old(first))
    expect(left).not.toContain(old(second))
    expect(left).not.toContain(old(gone))
    expect(left).toContain(`${KEPT_REFS}${now}-${first}`)
    expect(left.filter((ref) => ref.endsWith(second))).toHaveLength(1)
    for (const ref of left) await repository.git('update-ref', '-d', ref)
    await again()
    expect((await kept()).map((ref) => ref.replace(/.*-/, ''))).toEqual([
      await forge('rev-parse', 'main'),
    ])
    await git.endLending()
    expect(await kept()).toEqual([''])
  })

  it('that was there before holds its own, goes on, and is slimmed when asked', async () => {
    const repository = await tempRepository()
    onTestFinished(() => repository.remove())
    const paths = pathsOf(join(repository.path, '.git'), repository.path)
    mkdirSync(paths.state, { mode: 0o700 })
    await repository.commit({
      'big.txt': readFileSync('/proc/self/exe').toString('base64').slice(0, 3_000_000),
    })
    await repository.gitIn(repository.path, 'init', '-q', '--bare', paths.origin)
    await repository.git('push', '-q', paths.origin, 'main')
    const all = await openWorld(repository)
    await repository.git('checkout', '-q', '-b', 'gone')
    const gone = await repository.commit({ 'b.txt': 'b\n' })
    await all.push('gone', gone)
    await repository.git('checkout', '-q', 'main')
    await repository.git('branch', '-q', '-D', 'gone')
    await repository.git('update-ref', '-d', 'refs/remotes/exomonad/gone')
    expect(await repository.git('for-each-ref', KEPT_REFS)).toBe('')
    const before = size(paths.origin)
    expect(await all.git.slimBorrower(paths.origin)).toBe(true)
    expect(before - size(paths.origin)).toBeGreaterThan(1000)
    await all.cleanOut()
    await isWhole(all)
    expect(await all.forge('show', `${gone}:b.txt`)).toBe('b')
  })
})

describe('clones that are not whole', () => {
  const clone = async (...options: string[]): Promise<World> => {
    const repository = await tempRepository({ files: null })
    onTestFinished(() => repository.remove())
    await makeLarge(repository, { files: 300, objects: 3000 })
    const whole = `${repository.folder}/whole`
    renameSync(repository.path, whole)
    await repository.gitIn(whole, 'config', 'uploadpack.allowFilter', 'true')
    await repository.gitIn(whole, 'config', 'uploadpack.allowAnySHA1InWant', 'true')
    await repository.gitIn(whole, 'branch', 'other', 'HEAD~20')
    const args = ['clone', '-q', ...options, `file://${whole}`, repository.path]
    await repository.gitIn(repository.folder, ...args)
    return openWorld(repository)
  }
  /** What a branch of work comes to: pushed, merged into main without a worktree, fetched. */
  const work = async ({ repository, git, push }: World): Promise<void> => {
    const main = (await git.resolve('refs/remotes/exomonad/main')) ?? (await git.resolve('HEAD'))
    await push('main', main as string)
    await repository.git('checkout', '-q', '-B', 'main.work', main as string)
    const tip = await repository.commit({ [`work-${Date.now()}.txt`]: 'work\n' })
    await push('main.work', tip)
    const [merged] = await git.mergeTrees([[main as Sha, tip as Sha]])
    if (merged?.kind !== 'clean') throw new Error('it conflicts')
    const parents = [main as Sha, tip as Sha]
    await push('main', await git.commitTree({ tree: merged.tree, parents, message: 'Merge\n' }))
    await git.fetch('exomonad', [name('main')])
  }

  it.each([
    ['partial', ['--filter=blob:none']],
    ['treeless', ['--filter=tree:0']],
  ])('%s: work is pushed, merged, fetched and survives gc here', async (_, options) => {
    const all = await clone(...options)
    await work(all)
    const merged = await all.git.resolve('refs/remotes/exomonad/main')
    await all.repository.git('update-ref', '-d', 'refs/remotes/exomonad/main')
    await all.repository.git('checkout', '-q', '--detach', 'HEAD~1')
    await all.repository.git('branch', '-q', '-D', 'main.work')
    await all.cleanOut([all.repository.path])
    await all.git.fetch('exomonad', [name('main')])
    expect(await all.git.resolve('refs/remotes/exomonad/main')).toBe(merged)
    await work(all)
    expect(size(all.paths.origin)).toBeLessThan(1000)
    // Nothing that git can’t do there is begun by a push.
    expect(await all.forge('config', 'receive.autogc')).toBe('false')
  })

  it.each([
    ['shallow', ['--depth', '3']],
    ['of a single branch', ['--single-branch', '--branch', 'other']],
  ])('%s: work is pushed, merged, fetched and survives gc', async (_, options) => {
    const all = await clone(...options)
    await work(all)
    await all.cleanOut()
    await work(all)
    await isWhole(all)
    expect(size(all.paths.origin)).toBeLessThan(1000)
  })

  it('a history that becomes whole, or shorter, does so for both', async () => {
    const all = await clone('--depth', '3')
    const { repository, forge, again } = all
    await work(all)
    await repository.git('fetch', '-q', '--unshallow', 'origin')
    await work(all)
    await isWhole(all)
    expect(existsSync(join(all.paths.origin, 'shallow'))).toBe(false)
    await repository.git('checkout', '-q', '--detach')
    await repository.git('fetch', '-q', '--depth', '2', 'origin')
    await again()
    expect(await forge('rev-parse', '--is-shallow-repository')).toBe('true')
    await all.cleanOut()
    await isWhole(all)
    await work(all)
  })
})
