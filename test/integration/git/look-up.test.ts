import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createLookUp } from '../../../src/adapters/git/look-up.ts'
import { openGit } from '../../../src/adapters/git/open.ts'
import { exec } from '../../../src/processes/exec.ts'
import type { BranchName, Sha } from '../../../src/domain/ids.ts'
import { tempRepository } from '../../helpers/temp-repository.ts'

/** Commits looked up by a git that is kept, against one that is started for each. */

async function open() {
  const repository = await tempRepository()
  const commonDir = join(repository.path, '.git')
  const started: string[] = []
  const lookUp = createLookUp({ commonDir, environment: repository.env })
  onTestFinished(() => {
    lookUp.close()
    repository.remove()
  })
  const counted: typeof exec = (file, args, options) => {
    started.push(args.join(' '))
    return exec(file, args, options)
  }
  const kept = openGit({ commonDir, environment: repository.env, lookUp, exec: counted })
  return {
    repository,
    lookUp,
    kept,
    started,
    plain: openGit({ commonDir, environment: repository.env }),
  }
}

it('returns what git that is started does, also about what changed since', async () => {
  const { repository, kept, plain, started } = await open()
  await repository.git('tag', '-a', '-m', 'x', 'v1')
  const ask = async (): Promise<void> => {
    for (const revision of [
      'main',
      'refs/heads/main',
      'HEAD',
      'main~1',
      'v1',
      'refs/heads/other',
      'nonsense',
      'HEAD:README.md',
      '-x',
      'a b',
      '',
    ]) {
      expect([revision, await kept.resolve(revision)]).toEqual([
        revision,
        await plain.resolve(revision),
      ])
    }
  }
  await ask()
  const before = started.length
  const second = await repository.commit({ 'a.txt': 'a' })
  expect(await kept.resolve('main')).toBe(second)
  await repository.git('branch', 'other')
  await repository.git('pack-refs', '--all')
  await repository.git('gc', '-q', '--prune=now')
  expect(await kept.resolve('refs/heads/other')).toBe(second)
  await repository.git('branch', '-D', 'other')
  expect(await kept.resolve('refs/heads/other')).toBeNull()
  expect(await kept.present([second as never, 'd'.repeat(40) as never])).toEqual(new Set([second]))
  expect(started.length - before).toBe(0)
  await ask()
})

it('is done without where it can’t be had, or ends', async () => {
  const { repository, kept, lookUp, started } = await open()
  const head = await repository.git('rev-parse', 'HEAD')
  expect(await kept.resolve('main\n')).toBeNull()
  expect(await Promise.all(Array.from({ length: 50 }, () => kept.resolve('main')))).toEqual(
    Array.from({ length: 50 }, () => head),
  )
  lookUp.close()
  const before = started.length
  expect(await kept.resolve('main')).toBe(head)
  expect(started.length).toBeGreaterThan(before)
  const broken = createLookUp({
    commonDir: join(repository.folder, 'nowhere'),
    environment: repository.env,
  })
  for (let tries = 0; tries < 5; tries++) expect(await broken.commit('main')).toBeUndefined()
})

/** A repository with the local forge's, whose branches a kept git reads, and another remote. */
async function openWithOrigin() {
  const { repository, started, ...rest } = await open()
  const commonDir = join(repository.path, '.git')
  const path = join(repository.folder, 'origin.git')
  await repository.git('init', '-q', '--bare', path)
  await repository.git('remote', 'add', 'origin', path)
  const lookUp = createLookUp({ commonDir: path, environment: repository.env })
  onTestFinished(() => lookUp.close())
  const counted: typeof exec = (file, args, options) => {
    started.push(args.join(' '))
    return exec(file, args, options)
  }
  return {
    repository,
    path,
    started,
    ...rest,
    own: openGit({
      commonDir,
      environment: repository.env,
      exec: counted,
      origin: { path, lookUp },
    }),
  }
}
const name = (branch: string): BranchName => branch as BranchName

it('branches of the local forge’s repository are those that the remote itself would list, without a process for each question', async () => {
  const { repository, own, plain, path, started } = await openWithOrigin()
  const branches = ['main', 'main.a', 'gone'].map(name)
  const same = async (): Promise<void> => {
    for (const branch of branches)
      expect([branch, await own.remoteTip('origin', branch)]).toEqual([
        branch,
        await plain.remoteTip('origin', branch),
      ])
    expect(await own.remoteTips('origin')).toEqual(await plain.remoteTips('origin'))
    expect(await own.remoteTips('origin', branches)).toEqual(
      await plain.remoteTips('origin', branches),
    )
    expect(await own.remoteTips('origin', [])).toEqual(new Map())
  }
  await same()
  await repository.git(
    'push',
    '-q',
    'origin',
    'main',
    'main:main.a',
    'main:refs/heads/deep/refs/heads/main',
  )
  await same()
  const asked = started.length
  for (let times = 0; times < 5; times += 1) await own.remoteTips('origin', branches)
  expect(await own.remoteTip('origin', name('main'))).toBe(
    await repository.git('rev-parse', 'main'),
  )
  expect(started.slice(asked)).toEqual([])
  // What others change there is seen at once.
  await repository.commit({ 'b.txt': 'b' })
  await repository.git('push', '-q', 'origin', 'main', ':main.a')
  await repository.git(`--git-dir=${path}`, 'pack-refs', '--all')
  await same()
})

it('is asked like any remote once its name means another repository, and where it is gone', async () => {
  const { repository, own, path } = await openWithOrigin()
  await repository.git('push', '-q', 'origin', 'main')
  const first = await repository.git('rev-parse', 'main')
  expect(await own.remoteTip('origin', name('main'))).toBe(first)
  const other = join(repository.folder, 'other.git')
  await repository.git('init', '-q', '--bare', other)
  await repository.git('remote', 'set-url', 'origin', other)
  expect(await own.remoteTip('origin', name('main'))).toBeNull()
  expect(await own.remoteTips('origin')).toEqual(new Map())
  await repository.git('remote', 'set-url', 'origin', path)
  expect(await own.remoteTip('origin', name('main'))).toBe(first)
  rmSync(path, { recursive: true })
  await expect(own.remoteTip('origin', name('main'))).rejects.toMatchObject({
    code: 'FORGE_UNAVAILABLE',
  })
  await expect(own.remoteTips('origin', [name('main')])).rejects.toMatchObject({
    code: 'FORGE_UNAVAILABLE',
  })
})

it('is not fetched from where it has nothing new, and is where it has', async () => {
  const { repository, own, started } = await openWithOrigin()
  await repository.git('push', '-q', 'origin', 'main')
  await own.fetch('origin', [name('main')])
  const fetches = () => started.filter((line) => / fetch /.test(line)).length
  const before = fetches()
  await own.fetch('origin', [name('main')])
  expect(fetches()).toBe(before)
  const second = await repository.commit({ 'b.txt': 'b' })
  await repository.git('push', '-q', 'origin', 'main:main')
  await repository.git('update-ref', 'refs/remotes/origin/main', 'main~1')
  await own.fetch('origin', [name('main')])
  expect(fetches()).toBe(before + 1)
  expect(await repository.git('rev-parse', 'refs/remotes/origin/main')).toBe(second)
  await expect(own.fetch('origin', [name('nowhere')])).rejects.toMatchObject({
    code: 'GIT_FAILED',
    message: expect.stringContaining('nowhere'),
  })
})

it('a commit and one made right on it are read without a process, as git that is started prints them', async () => {
  const { repository, kept, plain, started } = await open()
  const first = (await repository.git('rev-parse', 'HEAD')) as Sha
  await repository.git('checkout', '-q', '-b', 'side')
  const side = (await repository.commit({ 'b.txt': 'b' })) as Sha
  await repository.git('checkout', '-q', 'main')
  const main = (await repository.commit({ 'c.txt': 'c' })) as Sha
  await repository.git('merge', '-q', '--no-ff', '-m', 'Merge', 'side')
  const merge = (await repository.git('rev-parse', 'HEAD')) as Sha
  const unrelated = (await repository.git('commit-tree', '-m', 'x', 'HEAD^{tree}')) as Sha
  for (const [one, other] of [
    [first, side],
    [main, merge],
    [side, merge],
  ] as const)
    expect([await kept.isAncestor(one, other), await kept.isAncestor(other, one)]).toEqual([
      true,
      false,
    ])
  expect(await kept.countCommits(first, side)).toBe(1)
  expect(started).toEqual([])
  const all = [first, side, main, merge, unrelated]
  for (const one of all) {
    for (const other of all) {
      expect([one, other, await kept.isAncestor(one, other)]).toEqual([
        one,
        other,
        await plain.isAncestor(one, other),
      ])
      expect([one, other, await kept.countCommits(one, other)]).toEqual([
        one,
        other,
        await plain.countCommits(one, other),
      ])
    }
  }
})

it('how two commits lie to each other is asked once, but for what a deeper fetch of a shallow clone may change', async () => {
  const { repository, kept, started } = await open()
  const first = (await repository.git('rev-parse', 'HEAD')) as Sha
  const second = (await repository.commit({ 'b.txt': 'b' })) as Sha
  const third = (await repository.commit({ 'c.txt': 'c' })) as Sha
  const ask = async () => [
    await kept.isAncestor(first, second),
    await kept.isAncestor(second, first),
    await kept.countCommits(first, third),
  ]
  expect(await ask()).toEqual([true, false, 2])
  const before = started.length
  expect(await ask()).toEqual([true, false, 2])
  expect(started.length).toBe(before)
  expect(await kept.countCommits(third, third)).toBe(0)

  const clone = join(repository.folder, 'shallow')
  await repository.git('clone', '-q', '--depth', '1', `file://${repository.path}`, clone)
  await repository.gitIn(clone, 'fetch', '-q', '--depth', '1', 'origin', `+${first}:refs/heads/old`)
  const shallow = openGit({ commonDir: join(clone, '.git'), environment: repository.env })
  expect(await shallow.isAncestor(first, third)).toBe(false)
  await repository.gitIn(clone, 'fetch', '-q', '--unshallow')
  expect(await shallow.isAncestor(first, third)).toBe(true)
})
