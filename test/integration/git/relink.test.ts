import { cpSync, existsSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { relinkWorktrees } from '../../../src/adapters/git/worktrees/relink.ts'
import { tempRepository } from '../../helpers/temp-repository.ts'

/** A repository with one worktree inside of it and one outside. */
async function prepare() {
  const repository = await tempRepository()
  onTestFinished(() => repository.remove())
  const { path, folder, git, gitIn } = repository
  const outside = join(folder, 'outside')
  await git('worktree', 'add', '-q', '-b', 'a', join(path, '.exomonad', 'worktrees', 'a'))
  await git('worktree', 'add', '-q', '-b', 'b', outside)
  const now = join(folder, 'now')
  const inside = join(now, '.exomonad', 'worktrees', 'a')
  const relocate = (place: string) =>
    place.startsWith(`${path}/`) ? now + place.slice(path.length) : place
  const branchIn = (place: string) => gitIn(place, 'symbolic-ref', '--short', 'HEAD')
  return { ...repository, outside, now, inside, relocate, branchIn }
}

it('of a repository that was moved all worktrees are its own again, those outside of it too', async () => {
  const { path, now, inside, outside, relocate, branchIn, gitIn } = await prepare()
  renameSync(path, now)
  for (let times = 0; times < 2; times++)
    await relinkWorktrees(join(now, '.git'), { relocate, former: join(path, '.git') })
  expect(await branchIn(inside)).toBe('a')
  expect(await branchIn(outside)).toBe('b')
  expect(await gitIn(now, 'worktree', 'list', '--porcelain')).not.toContain('prunable')
  expect(existsSync(path)).toBe(false)
})

it('a copy has the worktrees that were copied, and the original keeps its own', async () => {
  const { path, now, inside, outside, relocate, branchIn, git, gitIn } = await prepare()
  cpSync(path, now, { recursive: true })
  const link = readFileSync(join(outside, '.git'), 'utf8')
  const before = await git('worktree', 'list', '--porcelain')
  await relinkWorktrees(join(now, '.git'), { relocate, former: null })
  expect(await gitIn(inside, 'rev-parse', '--path-format=absolute', '--git-common-dir')).toBe(
    join(now, '.git'),
  )
  expect(await branchIn(inside)).toBe('a')
  expect(readFileSync(join(outside, '.git'), 'utf8')).toBe(link)
  expect(await git('worktree', 'list', '--porcelain')).toBe(before)
})

it('a record that names a repository of its own leaves that as it is', async () => {
  const { path, now, git, gitIn, outside } = await prepare()
  renameSync(path, now)
  const onMain = () => now
  await relinkWorktrees(join(now, '.git'), { relocate: onMain, former: join(path, '.git') })
  expect(await gitIn(now, 'symbolic-ref', '--short', 'HEAD')).toBe('main')
  expect(existsSync(outside)).toBe(true)
  renameSync(now, path)
  expect(await git('status', '--porcelain', '-uno')).toBe('')
})
