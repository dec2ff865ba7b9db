import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startExomonad } from '../../helpers/daemon.ts'
import { waitFor } from '../../helpers/wait-for.ts'

it('[worktree] root = "sibling": worktrees lie beside the repository, and are agents’ there too', async () => {
  const tree = await startExomonad({ config: '[worktree]\nroot = "sibling"\npool = 1\n' })
  onTestFinished(() => tree.stop())
  const { repository } = tree
  const folder = `${repository.path}.worktrees`
  await waitFor('one to be ready', () => {
    const pool = join(folder, '.pool')
    return existsSync(pool) && readdirSync(pool).length === 1
  })
  tree.script('beside', {
    steps: [
      { do: 'sh', command: 'echo a > a.txt && git add a.txt && git commit -qm A' },
      { do: 'tool', name: 'file_pr', input: { title: 'A', body: 'B' } },
      { do: 'stop' },
    ],
  })
  const { spawned } = await tree.call('spawn_workers', {
    specs: [{ name: 'beside', prompt: 'Do it.' }],
  })
  const worktree = join(folder, 'beside')
  expect(spawned[0].worktree).toBe(worktree)
  await waitFor('its pull request', async () => (await tree.agent('beside')).pr?.state === 'open')
  expect(existsSync(join(repository.path, '.exomonad', 'worktrees'))).toBe(false)

  // Whoever is in there is not the owner.
  const there = await tree.command(['pr', 'merge', 'beside'], { cwd: worktree })
  expect(there.code).not.toBe(0)
  expect((await tree.agent('beside')).pr.state).toBe('open')

  await tree.call('merge_pr', { pr_number: (await tree.agent('beside')).pr.number })
  await tree.call('kill', { agent: 'beside' })
  const cleaned = await tree.command(['clean', 'beside'])
  expect(cleaned, cleaned.stderr).toMatchObject({ code: 0 })
  expect(existsSync(worktree)).toBe(false)
  const ended = await tree.command(['deinit', '--json'])
  expect(ended, ended.stderr).toMatchObject({ code: 0 })
  expect(existsSync(folder)).toBe(false)
})
