import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startExomonad } from '../../helpers/daemon.ts'
import { waitFor } from '../../helpers/wait-for.ts'

const FILES = {
  'root.txt': 'root\n',
  'packages/a/src/a.txt': 'a\n',
  'packages/b/src/b.txt': 'b\n',
  'packages/c/src/c.txt': 'c\n',
}

it('[worktree] sparse: a worktree has the folders of its spawn, of its role, or of all, and takes in more by plain git', async () => {
  const tree = await startExomonad({
    files: FILES,
    config:
      '[worktree]\nsparse = ["packages/a"]\npool = 1\n[roles.narrow]\nagent = "scripted"\ntools = ["note"]\nsparse = ["packages/b"]\n',
  })
  onTestFinished(() => tree.stop())
  const has = (path: string) => Object.keys(FILES).filter((file) => existsSync(join(path, file)))
  const spawned = async (kind: string, name: string, more = {}) => {
    const specs = [{ name, prompt: 'x', ...more }]
    const answer = await tree.call('spawn', { kind, specs })
    expect(answer.errors).toEqual([])
    const { worktree } = answer.spawned[0]
    expect(await tree.repository.gitIn(worktree, 'status', '--porcelain')).toBe('')
    return worktree as string
  }
  const pool = join(tree.repository.path, '.exomonad', 'worktrees', '.pool')
  await waitFor('the pool', () => readdirSync(pool).length === 1)
  const one = await spawned('worker', 'one')
  expect(has(one)).toEqual(['root.txt', 'packages/a/src/a.txt'])
  expect(has(await spawned('worker', 'two', { role: 'narrow' }))).toEqual([
    'root.txt',
    'packages/b/src/b.txt',
  ])
  expect(has(await spawned('worker', 'three', { sparse: ['packages/c'] }))).toEqual([
    'root.txt',
    'packages/c/src/c.txt',
  ])
  expect(has(await spawned('worker', 'four', { sparse: [] }))).toEqual(Object.keys(FILES))
  await tree.repository.gitIn(one, 'sparse-checkout', 'add', 'packages/c')
  expect(has(one)).toEqual(['root.txt', 'packages/a/src/a.txt', 'packages/c/src/c.txt'])
  expect(has(tree.repository.path)).toEqual(Object.keys(FILES))
  expect(
    await tree.refusal('spawn', {
      kind: 'worker',
      specs: [{ name: 'five', prompt: 'x', sparse: ['../out'] }],
    }),
  ).toMatchObject({ code: 'INVALID_ARG' })
})

it('work of a sparse worktree is filed and merged like any', async () => {
  const tree = await startExomonad({
    files: FILES,
    config: '[worktree]\nsparse = ["packages/a"]\n',
  })
  onTestFinished(() => tree.stop())
  tree.script('work', {
    steps: [
      { do: 'write', path: 'packages/a/new.txt', content: 'new\n' },
      { do: 'commit', message: 'Add new' },
      { do: 'tool', name: 'file_pr', input: { title: 'Add new', body: 'As asked.' } },
    ],
  })
  expect((await tree.command(['spawn', 'workers', 'work=x'])).code).toBe(0)
  const filed = await tree.logged('work', 'its pull request', (one) => one['name'] === 'file_pr')
  const merged = await tree.call('merge_pr', { pr_number: filed['answer'].pr_number, wait: true })
  expect(merged).toMatchObject({ merged: true, local_synced: true })
  for (const file of [...Object.keys(FILES), 'packages/a/new.txt'])
    expect(existsSync(join(tree.repository.path, file))).toBe(true)
  await tree.call('kill', { agent: 'work' })
  expect((await tree.call('clean')).removed).toHaveLength(1)
})
