import { cpSync, existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { endTerminals, startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import { isAlive } from '../../helpers/processes.ts'
import { waitFor } from '../../helpers/wait-for.ts'

it('a daemon whose repository was removed ends by itself', async () => {
  const tree = await startExomonad({ config: '[liveness]\nreconcile_every = 0.5' })
  onTestFinished(() => tree.stop())
  const pid = await tree.daemonPid()
  expect(isAlive(pid)).toBe(true)
  // The daemon goes on writing in it meanwhile.
  rmSync(tree.repository.path, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  await waitFor('the daemon to be gone', () => !isAlive(pid), { limit: 20_000 })
})

/** A tree with one agent, whose worktree has something that is not committed. */
async function withWorker(): Promise<Exomonad> {
  const tree = await startExomonad()
  tree.script('writer', {
    steps: [
      { do: 'write', path: 'kept.txt', content: 'committed' },
      { do: 'commit', message: 'Keep' },
      { do: 'write', path: 'new.txt', content: 'not committed' },
    ],
    stop: false,
  })
  await tree.call('spawn_workers', { specs: [{ name: 'writer', prompt: 'Write' }] })
  const written = join(tree.repository.path, '.exomonad', 'worktrees', 'writer', 'new.txt')
  await waitFor('its work', () => existsSync(written), { limit: 30_000 })
  return tree
}

it('a repository that was moved is taken over where it is, and until then nothing acts on where it was', async () => {
  const tree = await withWorker()
  const { path, env } = tree.repository
  const moved = `${path} moved`
  const there = (...args: string[]) => tree.command([...args, '--json'], { cwd: moved })
  onTestFinished(async () => {
    await there('down')
    await endTerminals(join(moved, '.git'), env)
    await tree.stop()
  })
  expect((await tree.command(['down'])).code).toBe(0)
  renameSync(path, moved)
  for (const command of [['tree'], ['deinit'], ['daemon', 'start'], ['clean'], ['restore', 'file']])
    expect((await there(...command)).json, command.join(' ')).toMatchObject({
      code: 'REPOSITORY_MOVED',
      how: 'moved',
      error: expect.stringContaining('`exomonad init`'),
    })
  expect((await there('doctor')).json).toMatchObject({
    ok: false,
    findings: expect.arrayContaining([
      expect.objectContaining({ subject: 'repository', status: 'problem' }),
    ]),
  })
  expect((await there('init')).json).toMatchObject({ moved_from: path, home: moved })
  const worktree = join(moved, '.exomonad', 'worktrees', 'writer')
  const { root } = (await there('tree')).json
  expect(root).toMatchObject({ worktree: moved, children: [{ worktree, name: 'writer' }] })
  expect(await tree.repository.gitIn(worktree, 'status', '--porcelain')).toBe('?? new.txt')
  const remotes = await tree.repository.gitIn(moved, 'remote', '-v')
  expect(remotes).toContain(moved)
  const listed = await tree.repository.gitIn(moved, 'worktree', 'list')
  expect(listed).toContain(worktree)
  expect((await there('doctor')).json).toMatchObject({ ok: true })
  expect((await there('ps')).json.repositories).toMatchObject([{ repository: moved }])
  expect(existsSync(path)).toBe(false)
  expect((await there('init')).json).toMatchObject({ moved_from: null, already: true })
}, 60_000)

it('from a copy of a repository nothing reaches the tree of the original', async () => {
  const tree = await withWorker()
  const { path, env } = tree.repository
  const copy = `${path} copied`
  const there = (...args: string[]) => tree.command([...args, '--json'], { cwd: copy })
  onTestFinished(async () => {
    await there('down')
    await endTerminals(join(copy, '.git'), env)
    await tree.stop()
  })
  const pid = await tree.daemonPid()
  // A socket can’t be copied.
  const filter = (from: string) => !from.endsWith('.sock')
  cpSync(path, copy, { recursive: true, verbatimSymlinks: true, filter })
  for (const command of [['tree'], ['init'], ['down'], ['daemon', 'stop'], ['restore', 'file']])
    expect((await there(...command)).json, command.join(' ')).toMatchObject({
      code: 'REPOSITORY_MOVED',
      how: 'copied',
      error: expect.stringContaining('`exomonad deinit`'),
    })
  const before = await tree.repository.git('worktree', 'list')
  const config = join(path, '.exomonad', 'config.toml')
  const taken = (await there('deinit', '--force')).json
  expect(JSON.stringify(taken)).not.toContain(`${path}/`)
  expect(taken.kept).toMatchObject([
    { path: join(copy, '.exomonad', 'worktrees', 'writer') },
    { path: join(copy, '.git', 'exomonad', 'accepted.json') },
  ])
  expect(await tree.repository.gitIn(copy, 'remote')).toBe('')
  // The original goes on as if nothing had been.
  expect(isAlive(pid)).toBe(true)
  expect(existsSync(config)).toBe(true)
  expect(await tree.repository.git('worktree', 'list')).toBe(before)
  expect((await tree.tree()).root.children).toMatchObject([{ name: 'writer', state: 'running' }])
  // And a tree of its own begins in the copy.
  writeFileSync(join(copy, '.exomonad', 'config.toml'), '')
  expect((await there('init')).json).toMatchObject({ home: copy, daemon: { started: true } })
  expect((await there('tree')).json.root).toMatchObject({ worktree: copy, children: [] })
}, 60_000)
