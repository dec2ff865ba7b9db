import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import { layoutIn } from '../../helpers/terminals/layout.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import { verifies } from '../../requirements.ts'

/** The dead: looked at until they are reaped, and what they leave behind after that. */

let tree: Exomonad
const call = (tool: string, input: object = {}): Promise<any> => tree.client().callTool(tool, input)
const nodes = (node: any): any[] => [node, ...node.children.flatMap(nodes)]
const agents = async (): Promise<any[]> => nodes((await call('tree')).root)
const names = async (): Promise<string[]> => (await agents()).map(({ name }) => name)
const agent = async (name: string): Promise<any> =>
  (await agents()).find((node) => node.name === name)
const spawn = async (...wanted: string[]): Promise<any[]> => {
  const { spawned } = await call('spawn_workers', {
    specs: wanted.map((name) => ({ name, prompt: 'Work' })),
  })
  for (const name of wanted)
    await tree.logged(name, 'its start', (entry) => entry['kind'] === 'ready')
  return spawned
}

beforeAll(async () => {
  tree = await startExomonad()
})
afterAll(() => tree?.stop())

describe('the dead', () => {
  it(
    verifies(
      'R000-14',
      'can be looked at as they were, with who killed them, and take nothing more',
    ),
    async () => {
      tree.script('shown', { steps: [{ do: 'print', text: 'the last words' }] })
      await spawn('shown', 'other')
      const text = async (): Promise<string> => (await call('screen', { agent: 'shown' })).text
      await waitFor('its words', async () => (await text()).includes('the last words'), {
        limit: 60_000,
      })
      const before = (await text()).trimEnd()
      await call('kill', { agent: 'shown' })
      expect(await agent('shown')).toMatchObject({
        state: 'killed',
        state_reason: 'killed by the human',
      })
      expect(await call('screen', { agent: 'shown' })).toMatchObject({ live: false })
      expect((await text()).trimEnd()).toBe(before)
      expect((await tree.command(['logs', 'shown'])).stdout).toContain('the last words')
      await expect(call('send', { to: 'shown', message: 'more' })).rejects.toMatchObject({
        code: 'ALREADY_DEAD',
      })
      for (const args of [
        ['capture', 'start'],
        ['capture', 'fork', 'heir'],
      ]) {
        expect(await tree.run([...args, '--as', 'shown', '--json']), args.join(' ')).toMatchObject({
          code: 1,
          json: { code: 'ALREADY_DEAD' },
        })
      }
      // The living do not mind, and the dead are still there.
      expect(await names()).toEqual(expect.arrayContaining(['shown', 'other']))
    },
  )

  it(
    verifies(
      'R000-15',
      'are out of the rotation once they are reaped, all at once, and the first living agent is next',
    ),
    async () => {
      tree.script('lead', {})
      await call('spawn_subtree', { task: 'Lead', branch_name: 'lead' })
      await tree.logged('lead', 'its start', (entry) => entry['kind'] === 'ready')
      await call('fork', { name: 'helper', prompt: 'Help', context: 'fresh' })
      await call('kill', { agent: 'helper' })
      const [root] = await agents()
      const dead = (await agents()).filter(({ state }) => state === 'killed')
      expect(dead.map(({ name }) => name).toSorted()).toEqual(['helper', 'shown'])
      const { reaped, next } = (await tree.command(['reap', '--json'])).json
      expect(next).toBe(root.id)
      expect(reaped.toSorted()).toEqual(dead.map(({ id }) => id).toSorted())
      expect((await names()).toSorted()).toEqual(['lead', 'other', 'root'])
      expect((await call('tree')).counts).toMatchObject({ agents: 2, live: 2 })
      expect(await tree.command(['capture', 'reap'])).toMatchObject({
        code: 0,
        stdout: 'No agent has ended\n',
      })
      expect((await tree.run(['events'])).stdout).toMatch(/shown +− taken out of sight/)
      // What it did can still be read.
      expect((await call('screen', { agent: 'shown' })).text).toContain('the last words')
    },
  )

  it('that were reaped leave their living children in the tree', async () => {
    tree.script('parent', {
      steps: [
        {
          do: 'tool',
          name: 'spawn_workers',
          input: { specs: [{ name: 'orphan', prompt: 'Go on' }] },
        },
        { do: 'exit', code: 3 },
      ],
    })
    await call('spawn_subtree', { task: 'Spawn and fail', branch_name: 'parent' })
    await waitFor('its end', async () => (await agent('parent'))?.state === 'failed', {
      limit: 60_000,
    })
    await tree.logged('orphan', 'its start', (entry) => entry['kind'] === 'ready')
    expect((await call('reap')).reaped).toHaveLength(1)
    expect(
      (await call('tree')).root.children.map((child: { name: string }) => child.name),
    ).toContain('orphan')
    expect(await names()).not.toContain('parent')
    // Brought back, it is listed again.
    tree.script('parent', {})
    expect(await tree.command(['resume', '--all', '--json'])).toMatchObject({
      json: { resumed: [], errors: [] },
    })
    expect((await tree.command(['resume', 'parent', '--json'])).json.resumed).toMatchObject([
      { name: 'parent' },
    ])
    expect((await agent('parent')).children.map((child: { name: string }) => child.name)).toEqual([
      'orphan',
    ])
  })

  it('that were reaped leave no window, and what was in it can still be read', async () => {
    const own = await startExomonad({
      multiplexer: 'tmux',
      config: '[liveness]\nreconcile_every = 1\n',
    })
    onTestFinished(() => own.stop())
    const windows = async () => (await layoutIn.tmux.panes(own)).map(({ agentId }) => agentId)
    own.script('over', {
      steps: [
        { do: 'print', text: 'the last words' },
        { do: 'exit', code: 3 },
      ],
    })
    await own.call('spawn_workers', { specs: [{ name: 'over', prompt: 'x' }] })
    await waitFor('its end', async () => (await own.agent('over')).state === 'failed')
    const { id } = await own.agent('over')
    const { spawned } = await own.call('spawn_workers', { specs: [{ name: 'on', prompt: 'x' }] })
    const on = spawned[0].agent_id
    expect((await windows()).toSorted()).toEqual([id, on].toSorted())
    expect((await own.call('reap')).reaped).toEqual([id])
    await waitFor('the end of its window', async () => !(await windows()).includes(id))
    expect(await windows()).toEqual([on])
    expect((await own.call('screen', { agent: id })).text).toContain('the last words')
  })
})

describe('what the reaped leave behind', () => {
  it('is theirs until it is proven merged: the pull request, the branch, the worktree with a fork in it', async () => {
    tree.script('author', {
      steps: [
        { do: 'write', path: 'a.txt', content: 'a' },
        { do: 'commit', message: 'Add a' },
        { do: 'tool', name: 'file_pr', input: { title: 'Add a', body: 'As asked.' }, as: 'pr' },
      ],
    })
    await spawn('author')
    const number: number = await waitFor(
      'its pull request',
      async () => (await agent('author')).pr?.number,
      { limit: 60_000 },
    )
    await tree.run(['fork', 'reader', 'Read', '--context', 'fresh', '--as', 'author'])
    await tree.logged('reader', 'its start', (entry) => entry['kind'] === 'ready')
    await call('kill', { agent: 'author' })
    await call('reap')
    expect(await names()).not.toContain('author')
    expect((await call('pr_list', { state: 'open' })).pull_requests).toMatchObject([
      { number, head_branch: 'main.author' },
    ])
    const { spawned, errors } = await call('spawn_workers', {
      specs: [{ name: 'author', prompt: 'Again' }],
    })
    expect(spawned).toEqual([])
    expect(errors).toMatchObject([
      {
        code: 'BRANCH_EXISTS',
        error: expect.stringContaining(
          'main.author belongs to the agent author (killed)',
        ) as string,
      },
    ])
    expect((await call('clean', { dry_run: true })).kept).toContainEqual(
      expect.objectContaining({ agent: 'author', reason: `#${number} is open` }),
    )
    const doctor = (await tree.command(['doctor'])).stdout
    expect(doctor).not.toMatch(/no agent owns/)

    expect(await call('merge_pr', { pr_number: number, force: true })).toMatchObject({
      merged: true,
    })
    expect((await call('clean')).removed).toContainEqual(
      expect.objectContaining({ agent: 'author', branch: 'main.author' }),
    )
    expect(await tree.repository.git('branch', '--list', 'main.author')).toBe('')
    tree.script('author', {})
    expect(
      (await call('spawn_workers', { specs: [{ name: 'author', prompt: 'Again' }] })).spawned,
    ).toHaveLength(1)
  })

  it('stays while a fork may still work in it', async () => {
    tree.script('host', { on: [{ match: 'finish now', steps: [{ do: 'exit', code: 0 }] }] })
    await spawn('host')
    const { json } = await tree.run([
      'fork',
      'guest',
      'Stay',
      '--context',
      'fresh',
      '--as',
      'host',
      '--json',
    ])
    await tree.logged('guest', 'its start', (entry) => entry['kind'] === 'ready')
    await call('send', { to: 'host', message: 'finish now' })
    await waitFor('its end', async () => (await agent('host')).state === 'completed', {
      limit: 60_000,
    })
    expect((await call('clean')).kept).toContainEqual(
      expect.objectContaining({
        agent: 'host',
        reason: expect.stringContaining('guest') as string,
      }),
    )
    await call('kill', { agent: json.agent_id })
    expect((await call('clean')).removed).toContainEqual(expect.objectContaining({ agent: 'host' }))
    // The fork went with the worktree it shared.
    expect(await names()).not.toContain('guest')
    expect((await call('reap')).reaped).toEqual([])
  })
})
