import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { expect, it, onTestFinished } from 'vitest'
import { endTerminals, startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import { isAlive } from '../../helpers/processes.ts'
import { describeWith, findTool } from '../../helpers/terminals/require-tool.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import { verifies } from '../../requirements.ts'

/** What a spawn takes back, and what it must leave as it found it. */

const adopt = (tree: Exomonad, name: string, branch: string) =>
  tree.call('spawn', { kind: 'worker', specs: [{ name, prompt: 'Nothing to do.', branch }] })

it('a spawn that fails leaves branches, worktrees and work that were there before it', async () => {
  const tree = await startExomonad({
    config: '[worktree]\nsetup = [["sh", "-c", "echo half > half.txt; exit 3"]]\n',
  })
  onTestFinished(() => tree.stop())
  const { repository } = tree
  // At the very commit that a child would start from: only the record says whose it is.
  await repository.git('branch', 'main.mine')
  const elsewhere = join(repository.folder, 'elsewhere')
  await repository.git('worktree', 'add', '-q', '-b', 'topic', elsewhere)
  writeFileSync(join(elsewhere, 'work.txt'), 'unsaved')

  const { errors } = await tree.call('spawn_workers', { specs: [{ name: 'mine', prompt: 'x' }] })
  expect(errors).toMatchObject([
    { code: 'BRANCH_EXISTS', error: expect.stringContaining('--branch main.mine') },
  ])
  expect((await adopt(tree, 'one', 'main.mine')).errors).toMatchObject([{ code: 'SPAWN_FAILED' }])
  expect((await adopt(tree, 'two', 'topic')).errors).toMatchObject([{ code: 'SPAWN_FAILED' }])

  expect((await repository.git('branch', '--format=%(refname:short)')).split('\n').sort()).toEqual([
    'main',
    'main.mine',
    'topic',
  ])
  expect(existsSync(join(elsewhere, 'work.txt'))).toBe(true)
  expect(existsSync(join(repository.path, '.exomonad', 'worktrees', 'one'))).toBe(false)
  expect((await tree.tree()).root.children).toEqual([])
  // A dry run says the same before anything is made.
  const plan = await tree.call('spawn', {
    kind: 'worker',
    specs: [{ name: 'mine', prompt: 'x' }],
    dry_run: true,
  })
  expect(plan).toMatchObject({ planned: [], errors: [{ code: 'BRANCH_EXISTS' }] })
})

it('what a killed daemon left running of a set-up ends before its worktree goes', async () => {
  const tree = await startExomonad({
    config:
      '[worktree]\nsetup = [["sh", "-c", "echo $$ > $EXOMONAD_REPOSITORY/../pid; while :; do mkdir -p $EXOMONAD_WORKTREE/made; sleep 0.05; done"]]\n',
  })
  onTestFinished(() => tree.stop())
  const cut = tree
    .call('spawn_workers', { specs: [{ name: 'one', prompt: 'x' }] })
    .catch(() => undefined)
  const file = join(tree.repository.folder, 'pid')
  const pid = await waitFor(
    'the set-up to run',
    () => Number(readFileSync(file, 'utf8')) || undefined,
  )
  onTestFinished(() => void (isAlive(pid) && process.kill(pid, 'SIGKILL')))
  await tree.crash()
  await cut
  await waitFor(
    'the spawn to be taken back',
    async () => (await tree.tree()).root.children.length === 0,
  )
  await waitFor(
    'the worktree to go',
    () => !existsSync(join(tree.repository.path, '.exomonad', 'worktrees', 'one')),
  )
  expect(isAlive(pid)).toBe(false)
})

it('is not begun from the middle of a rebase', async () => {
  const tree = await startExomonad({ files: { 'a.txt': 'base\n' } })
  onTestFinished(() => tree.stop())
  await tree.repository.commit({ 'a.txt': 'one\n' })
  await tree.repository.commit({ 'a.txt': 'two\n' })
  await tree.repository.git(
    '-c',
    'sequence.editor=sed -i s/pick/edit/',
    'rebase',
    '-q',
    '-i',
    'HEAD~1',
  )
  expect(
    await tree.refusal('spawn_workers', { specs: [{ name: 'a', prompt: 'x' }] }),
  ).toMatchObject({ code: 'DIRTY_WORKTREE', operation: 'rebase' })
  await tree.repository.git('rebase', '--continue')
  expect(
    (await tree.call('spawn_workers', { specs: [{ name: 'a', prompt: 'x' }] })).spawned,
  ).toHaveLength(1)
})

it('waits for approval with what was trusted then, not with what came meanwhile', async () => {
  const tree = await startExomonad({ config: '[limits]\napproval_depth = 2\n' })
  onTestFinished(() => tree.stop())
  tree.script('lead', {
    steps: [
      { do: 'tool', name: 'spawn_workers', input: { specs: [{ name: 'late', prompt: 'x' }] } },
    ],
  })
  await tree.call('spawn_subtree', { task: 'x', branch_name: 'lead' })
  const asked = await waitFor('the request', async () => (await tree.call('inbox')).approvals[0])
  // Tracked first: what is nobody's but the person's own runs, and is trusted from then on.
  await tree.repository.git('add', '-f', '.exomonad/config.toml')
  await tree.repository.git('commit', '-q', '-m', 'Share the configuration')
  writeFileSync(join(tree.repository.path, '.exomonad', 'config.toml'), '# came with a pull\n', {
    flag: 'a',
  })
  await tree.repository.git('commit', '-qam', 'Change the configuration')
  await tree.call('approve', { approval_id: asked.approval_id })
  expect(
    await tree.logged('lead', 'the refusal', (entry) => entry['kind'] === 'tool'),
  ).toMatchObject({ answer: { code: 'UNTRUSTED_CONFIG' } })
  expect(await tree.agent('late')).toBeUndefined()
})

it(
  verifies(
    'R004-06',
    'a program that ends at once is a failure that is reported to the parent once, without waiting for a look',
  ),
  async () => {
    const tree = await startExomonad({
      config:
        '[agents.brief]\nadapter = "command"\ncommand = ["sh", "-c", "exit 3"]\n[liveness]\nreconcile_every = 600\n',
    })
    onTestFinished(() => tree.stop())
    await tree.call('spawn_workers', {
      specs: ['a', 'b', 'c', 'd'].map((name) => ({ name, prompt: 'x', agent: 'brief' })),
    })
    await waitFor('all to have failed', async () => (await tree.tree()).counts.failed === 4)
    expect((await tree.events()).filter((event) => event.type === 'agent.failed')).toHaveLength(4)
  },
)

describeWith(['tmux'], 'a multiplexer that is gone', () => {
  it('fails the spawn and leaves nothing; the next one works when it is back', async () => {
    const bin = mkdtempSync(join(tmpdir(), 'xt-bin-'))
    onTestFinished(() => rmSync(bin, { recursive: true, force: true }))
    writeFileSync(
      join(bin, 'tmux'),
      `#!/bin/sh\n[ -e '${bin}/broken' ] && exit 1\nexec '${findTool('tmux')}' "$@"\n`,
      { mode: 0o755 },
    )
    const tree = await startExomonad({
      multiplexer: 'tmux',
      env: { PATH: `${bin}:${process.env['PATH']}` },
      config: '[liveness]\nreconcile_every = 1\n',
    })
    onTestFinished(() => tree.stop())
    writeFileSync(join(bin, 'broken'), '')
    await endTerminals(
      await tree.repository.git('rev-parse', '--path-format=absolute', '--git-common-dir'),
      tree.repository.env,
    )
    const { spawned, errors } = await tree.call('spawn_workers', {
      specs: [{ name: 'a', prompt: 'x' }],
    })
    expect(spawned).toEqual([])
    expect(errors).toMatchObject([{ name: 'a', code: 'MULTIPLEXER_UNAVAILABLE' }])
    expect(await tree.repository.git('branch', '--format=%(refname:short)')).toBe('main')
    expect(existsSync(join(tree.repository.path, '.exomonad', 'worktrees', 'a'))).toBe(false)
    expect((await tree.tree()).root.children).toEqual([])
    rmSync(join(bin, 'broken'))
    expect(
      (await tree.call('spawn_workers', { specs: [{ name: 'a', prompt: 'x' }] })).spawned,
    ).toHaveLength(1)
    await tree.logged('a', 'its start', (entry) => entry['kind'] === 'ready')
    // What could not be taken back at once is looked at again, and touches nothing of the second.
    await waitFor(
      'the first to be settled',
      async () => (await tree.tree()).unfinished.length === 0,
    )
    expect(await tree.agent('a')).toMatchObject({ state: expect.stringMatching(/running|idle/) })
    expect((await tree.events()).filter((event) => event.type === 'spawn.failed')).toHaveLength(1)
  })
})
