import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import { waitFor } from '../../helpers/wait-for.ts'

/**
 * A person goes on to another branch: the tree stays, or moves with them when they say so. In
 * order: each goes on where the last one ended.
 */

let tree: Exomonad
const git = (...args: string[]): Promise<string> => tree.repository.git(...args)
const work = (name: string) => ({
  on: [
    {
      match: 'file now',
      steps: [
        { do: 'write', path: `${name}.txt`, content: `${name}\n` },
        { do: 'commit', message: `Add ${name}` },
        { do: 'tool', name: 'file_pr', input: { title: `Add ${name}`, body: '' } },
      ],
    },
    { match: 'ask now', steps: [{ do: 'tool', name: 'question', input: { message: 'Which?' } }] },
  ],
})
const spawn = async (name: string, as?: string): Promise<any> => {
  tree.script(name, work(name))
  const { spawned, errors } = await tree.call(
    'spawn_workers',
    { specs: [{ name, prompt: 'x' }] },
    as === undefined ? {} : { as },
  )
  expect(errors).toEqual([])
  await tree.logged(name, 'its start', (entry) => entry['kind'] === 'ready')
  return spawned[0]
}
const file = async (name: string): Promise<number> => {
  await tree.call('send', { to: name, message: 'file now' })
  return (await tree.logged(name, 'its pull request', (entry) => entry['name'] === 'file_pr'))[
    'answer'
  ].pr_number
}
const finding = async (): Promise<any> =>
  (await tree.command(['doctor', '--json'])).json.findings.find(
    ({ subject }: { subject: string }) => subject === 'root',
  )

beforeAll(async () => {
  tree = await startExomonad()
  await spawn('old')
  tree.script('lead', work('lead'))
  await tree.call('spawn_subtree', { task: 'x', branch_name: 'lead' })
  await tree.logged('lead', 'its start', (entry) => entry['kind'] === 'ready')
  await spawn('leaf', 'lead')
  // It has no branch of its own: it works where the root works.
  await tree.call('fork', { name: 'helper', prompt: 'x', context: 'fresh' })
  await tree.logged('helper', 'its start', (entry) => entry['kind'] === 'ready')
})
afterAll(() => tree?.stop())

describe('after git checkout -b', () => {
  it('everything says where the tree grows from, and what leads on', async () => {
    expect(await finding()).toBeUndefined()
    await git('checkout', '-q', '-b', 'feature/x')
    await tree.repository.commit({ 'x.txt': 'x\n' })
    for (const [tool, input] of [
      ['spawn_workers', { specs: [{ name: 'new', prompt: 'x' }] }],
      ['spawn_subtree', { task: 'x', branch_name: 'new' }],
      ['file_pr', { title: 'x', body: '' }],
    ] as const) {
      expect(await tree.refusal(tool, input), tool).toMatchObject({
        code: 'WRONG_BRANCH',
        found: 'feature/x',
        expected: 'main',
        error: expect.stringMatching(
          /grows from main\. Check out main there.*`exomonad root move`.*agents of main stay/,
        ),
      })
    }
    expect(await finding()).toMatchObject({
      status: 'warning',
      found: expect.stringContaining('is on feature/x, and the tree grows from main'),
    })
    expect((await tree.command(['init', '--json'])).json).toMatchObject({
      already: true,
      root_branch: 'main',
      checked_out: 'feature/x',
    })
    expect((await tree.command(['init'])).stdout).toMatch(
      /is on feature\/x, and the tree grows from main\. .*`exomonad root move`/,
    )
  })

  it('root move makes it grow from there, once, with all agents there are', async () => {
    const before = await tree.tree()
    const moved = await tree.command(['root', 'move', '--json'])
    expect(moved.json).toEqual({
      from: 'main',
      to: 'feature/x',
      worktree: tree.repository.path,
      moved: true,
      warnings: [],
    })
    const after = await tree.tree()
    expect(after.root).toMatchObject({ id: before.root.id, branch: 'feature/x' })
    const places = (node: any): unknown[] => [
      ...(node.kind === 'fork' ? [] : [[node.id, node.branch, node.base_branch]]),
      ...node.children.flatMap(places),
    ]
    expect(places(after.root).slice(1)).toEqual(places(before.root).slice(1))
    expect(await tree.agent('helper')).toMatchObject({
      branch: 'feature/x',
      worktree: tree.repository.path,
    })
    expect((await tree.command(['root', 'move'])).stdout).toMatch(/grows from feature\/x already/)
    expect((await tree.events()).filter(({ type }) => type === 'tree.moved')).toMatchObject([
      { actor: 'human', payload: { from: 'main', to: 'feature/x' } },
    ])
    expect(await finding()).toBeUndefined()
    expect((await tree.command(['init', '--json'])).json).toMatchObject({
      root_branch: 'feature/x',
      checked_out: 'feature/x',
    })
    // Whoever moved it need not be notified.
    const { messages } = (await tree.command(['inbox', '--json'])).json
    expect(messages.filter(({ kind }: { kind: string }) => kind === 'tree.moved')).toEqual([])
  })

  it('what is spawned then starts from there and comes back there', async () => {
    const spawned = await spawn('new')
    expect(spawned.branch).toBe('feature/x.new')
    expect(existsSync(join(spawned.worktree, 'x.txt'))).toBe(true)
    expect(await tree.call('merge_pr', { pr_number: await file('new'), wait: true })).toMatchObject(
      { merged: true, local_synced: true },
    )
    expect(existsSync(join(tree.repository.path, 'new.txt'))).toBe(true)
  })

  it('the old tree goes on: answered, merged into its own branch, which the person’s worktree is not touched by', async () => {
    await tree.call('send', { to: 'old', message: 'ask now' })
    await waitFor(
      'its question',
      async () => (await tree.command(['inbox', '--json'])).json.questions.length === 1,
    )
    await tree.call('answer_question', { agent: 'old', message: 'That one' })
    const answered = await tree.logged('old', 'the answer', (entry) => entry['name'] === 'question')
    expect(answered['answer']).toMatchObject({ answer: 'That one' })

    const number = await file('old')
    expect(await tree.call('pr_show', { pr_number: number })).toMatchObject({ base_branch: 'main' })
    const merged = await tree.call('merge_pr', { pr_number: number, wait: true })
    expect(merged).toMatchObject({
      merged: true,
      local_synced: false,
      pull_error: 'main is checked out nowhere; the branch here has it',
    })
    expect(await git('show', 'main:old.txt')).toBe('old')
    expect([await git('branch', '--show-current'), await git('status', '--porcelain')]).toEqual([
      'feature/x',
      '',
    ])
  })

  it('what a merged lead leaves is still the root’s to merge, and nobody else’s', async () => {
    const leaf = await file('leaf')
    const lead = await file('lead')
    // Wherever somebody has the branch checked out it is brought in, though no agent's worktree is
    // on it.
    const side = join(tree.repository.folder, 'side')
    await git('worktree', 'add', '-q', side, 'main')
    expect(await tree.call('merge_pr', { pr_number: lead, wait: true })).toMatchObject({
      merged: true,
      retargeted: [leaf],
      local_synced: true,
    })
    expect(existsSync(join(side, 'lead.txt'))).toBe(true)
    await git('worktree', 'remove', side)
    expect(await tree.refusal('merge_pr', { pr_number: leaf }, { as: 'lead' })).toMatchObject({
      code: 'NOT_A_CHILD',
      base: 'main',
    })
    expect(await tree.call('merge_pr', { pr_number: leaf, wait: true })).toMatchObject({
      merged: true,
    })
    expect(await git('show', 'main:leaf.txt')).toBe('leaf')
  })

  it('the way back is the same; what was merged meanwhile is there', async () => {
    await git('checkout', '-q', 'main')
    // As a machine that was off sees it: the branch here lags behind what the forge has.
    await git('reset', '-q', '--hard', 'HEAD~1')
    expect((await tree.command(['root', 'move', '--json'])).json).toMatchObject({
      from: 'feature/x',
      to: 'main',
      moved: true,
      warnings: [],
    })
    for (const name of ['old', 'lead', 'leaf'])
      expect(existsSync(join(tree.repository.path, `${name}.txt`)), name).toBe(true)
    expect((await spawn('again')).branch).toBe('main.again')
  })

  it('the dot rule holds: a root on main.feat files into main; its program, where it runs, is notified', async () => {
    await tree.call('up', { task: 'Lead' })
    await tree.logged('root', 'its start', (entry) => entry['kind'] === 'ready')
    await git('checkout', '-q', '-b', 'main.feat')
    await tree.repository.commit({ 'feat.txt': 'feat\n' })
    expect((await tree.command(['root', 'move', '--json'])).json).toMatchObject({
      to: 'main.feat',
      moved: true,
    })
    expect(await tree.call('file_pr', { title: 'Feature', body: '' })).toMatchObject({
      head_branch: 'main.feat',
      base_branch: 'main',
    })
    await tree.call('send', { to: 'root', message: 'Go on.' })
    const reported = await tree.logged(
      'root',
      'the move',
      (entry) => entry['kind'] === 'message' && entry['text'].includes('[ROOT MOVED]'),
    )
    expect(reported['text']).toMatch(/is on main\.feat, and you work on that from now on/)
  })

  it('it is refused on no branch and on an agent’s, and nothing has changed', async () => {
    const { branch, worktree } = await tree.agent('again')
    await tree.call('kill', { agent: 'again' })
    rmSync(worktree, { recursive: true })
    await git('worktree', 'prune')
    await git('checkout', '-q', branch)
    expect(await tree.refusal('move_root')).toMatchObject({
      code: 'BRANCH_EXISTS',
      error: expect.stringContaining('main.again is the branch of the agent again'),
    })
    await git('checkout', '-q', '--detach')
    expect(await tree.refusal('move_root')).toMatchObject({ code: 'DETACHED_HEAD' })
    expect(await finding()).toMatchObject({
      found: expect.stringContaining('is on no branch, and the tree grows from main.feat'),
    })
    expect((await tree.tree()).root.branch).toBe('main.feat')
  })
})
