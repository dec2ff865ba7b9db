import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { runProgram, startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import { isAlive } from '../../../src/domain/lifecycle.ts'
import { createClient } from '../../../src/surfaces/client.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import { verifies } from '../../requirements.ts'

/**
 * Work that is folded back while others build on it: retargeting, squashes, cleaning, and stops at
 * odd moments.
 */

const write = (path: string, content: string) => ({ do: 'write', path, content })
const commit = (message: string) => ({ do: 'commit', message })
const filePr = { do: 'tool', name: 'file_pr', input: { title: 'Work', body: 'Done' } }
const filed = async (tree: Exomonad, name: string): Promise<number> =>
  (await tree.logged(name, 'its pull request', (entry) => entry['name'] === 'file_pr'))['answer']
    .pr_number
const stops = (tree: Exomonad, name: string): any[] =>
  tree.log(name).flatMap((entry) => (entry['kind'] === 'stop' ? [entry['answer']] : []))
const worker = (tree: Exomonad, name: string, as?: string) =>
  tree.call(
    'spawn_workers',
    { specs: [{ name, prompt: 'Nothing to do.' }] },
    as === undefined ? {} : { as },
  )

describe('folding', () => {
  let tree: Exomonad
  const go = (name: string) => join(tree.repository.folder, `go-${name}`)
  const release = (name: string) => runProgram('touch', [go(name)], { env: tree.repository.env })
  beforeAll(async () => {
    tree = await startExomonad({ files: { 'shared.txt': 'base\n' } })
  })
  afterAll(() => tree?.stop())

  it(
    verifies(
      'R004-11',
      'a subtree that is squashed while a child builds on it: the child is retargeted, keeps the base alive, and replays only its own',
    ),
    async () => {
      tree.script('lead', {
        steps: [
          write('lead.txt', 'one\n'),
          commit('Lead one'),
          { do: 'file', path: go('lead') },
          write('lead.txt', 'two\n'),
          commit('Lead two'),
          filePr,
        ],
      })
      await tree.call('spawn_subtree', { task: 'x', branch_name: 'lead' })
      await tree.logged('lead', 'its commit', (entry) => entry['kind'] === 'commit')
      tree.script('leaf', {
        steps: [
          write('leaf.txt', 'leaf\n'),
          commit('Leaf'),
          filePr,
          { do: 'file', path: go('leaf') },
        ],
      })
      await worker(tree, 'leaf', 'lead')
      const leafPull = await filed(tree, 'leaf')
      await release('lead')
      const merged = await tree.call('merge_pr', {
        pr_number: await filed(tree, 'lead'),
        strategy: 'squash',
      })
      expect(merged).toMatchObject({ merged: true, local_synced: true, retargeted: [leafPull] })
      expect(await tree.call('pr_show', { pr_number: leafPull })).toMatchObject({
        base_branch: 'main',
        state: 'open',
      })

      await release('leaf')
      await waitFor('the leaf to idle', async () => (await tree.agent('leaf')).state === 'idle')
      expect(await tree.repository.git('log', '--format=%s', 'main..main.lead.leaf')).toBe('Leaf')
      // Nothing new since the squash: its commits are not in main, what they brought is.
      expect(
        await tree.refusal('file_pr', { title: 'Again', body: '' }, { as: 'lead' }),
      ).toMatchObject({ code: 'NOTHING_TO_MERGE' })

      tree.script('late', {})
      await worker(tree, 'late', 'lead')
      await tree.call('kill', { agent: 'lead' })
      const { removed, kept } = await tree.call('clean', { dry_run: true })
      expect(removed.map((one: any) => one.agent)).toContain('late')
      expect(kept).toMatchObject([
        { agent: 'leaf', reason: expect.stringContaining(`#${leafPull}`) },
      ])
      await tree.call('merge_pr', { pr_number: leafPull })
      expect((await tree.call('clean')).kept).toEqual([])
      expect(readFileSync(join(tree.repository.path, 'lead.txt'), 'utf8')).toBe('two\n')
      expect(await tree.repository.git('branch', '--format=%(refname:short)')).toBe('main')
    },
  )

  it('who owns the base merges: a pull request that was retargeted is its new owner’s to be notified of and to merge, and no longer its parent’s', async () => {
    tree.script('upper', {})
    await tree.call('spawn_subtree', { task: 'x', branch_name: 'upper' })
    tree.script('lower', {
      steps: [
        write('lower.txt', 'x\n'),
        commit('Lower'),
        { do: 'file', path: go('lower') },
        filePr,
        { do: 'message', match: 'never' },
      ],
    })
    await tree.call('spawn_subtree', { task: 'x', branch_name: 'lower' }, { as: 'upper' })
    await tree.logged('lower', 'its commit', (entry) => entry['kind'] === 'commit')
    tree.script('below', { steps: [write('below.txt', 'x\n'), commit('Below'), filePr] })
    await worker(tree, 'below', 'lower')
    const below = await filed(tree, 'below')
    await release('lower')
    const filing = await tree.logged(
      'lower',
      'its pull request',
      (entry) => entry['name'] === 'file_pr',
    )
    expect(filing['answer'].warnings).toEqual([
      expect.stringContaining(
        `#${below} (main.upper.lower.below) is still open on main.upper.lower`,
      ),
    ])
    const as = async (name: string) => {
      const { socket } = JSON.parse(readFileSync(join(tree.state, 'repository.json'), 'utf8'))
      return createClient({
        socket,
        token: readFileSync(join(tree.state, 'auth', (await tree.agent(name)).id), 'utf8').trim(),
      })
    }
    const upper = await as('upper')
    await upper.callTool('merge_pr', { pr_number: filing['answer'].pr_number, wait: true })
    expect(await tree.call('pr_show', { pr_number: below })).toMatchObject({
      base_branch: 'main.upper',
    })

    const ready = async (): Promise<string[]> => {
      const events = (await tree.events()).filter(
        ({ type, payload }) => type === 'pr.ready' && payload.number === below,
      )
      return events.map(({ payload }) => payload.base)
    }
    await waitFor('it to be ready for its new owner', async () =>
      (await ready()).includes('main.upper'),
    )
    await tree.logged(
      'upper',
      'that it is ready',
      (entry) =>
        entry['kind'] === 'message' && String(entry['text']).includes('main.upper.lower.below'),
    )
    const lower = await as('lower')
    const theirs: [string, object][] = [
      ['merge_pr', {}],
      ['merge_pr', { force: true }],
      ['pr_review', { verdict: 'approve' }],
      ['pr_review', { verdict: 'request_changes', body: 'No.' }],
      ['pr_checks', { rerun: true }],
    ]
    for (const [tool, input] of theirs) {
      const refusal =
        'force' in input
          ? { code: 'NOT_ALLOWED' }
          : { code: 'NOT_A_CHILD', facts: { base: 'main.upper' } }
      await expect(
        lower.callTool(tool, { pr_number: below, ...input }),
        tool,
      ).rejects.toMatchObject(refusal)
    }
    expect(
      await upper.callTool('pr_review', { pr_number: below, verdict: 'approve' }),
    ).toMatchObject({ state: 'approved' })
    const merged = await upper.call('merge_pr', {
      pr_number: below,
      wait: true,
    })
    expect(merged).toMatchObject({
      merged: true,
      next: expect.stringContaining('skipped a level: below is a child of lower'),
    })
    expect(
      readFileSync(
        join(tree.repository.path, '.exomonad', 'worktrees', 'upper', 'below.txt'),
        'utf8',
      ),
    ).toBe('x\n')
  })

  it('a subtree whose children are merged, but not gone, is asked for its own pull request', async () => {
    tree.script('boss', { steps: [{ do: 'file', path: go('boss') }] })
    await tree.call('spawn_subtree', { task: 'x', branch_name: 'boss' })
    tree.script('hand', { steps: [write('hand.txt', 'x\n'), commit('Hand'), filePr] })
    await worker(tree, 'hand', 'boss')
    await tree.call('merge_pr', { pr_number: await filed(tree, 'hand') }, { as: 'boss' })
    expect(await tree.agent('hand')).toMatchObject({ outcome: null })
    await release('boss')
    await tree.logged(
      'boss',
      'the objection',
      (entry) => entry['answer']?.objection === 'no_pull_request',
    )
  })

  it.each<[string, string]>([
    ['a person on the branch that the tree grows from', 'root'],
    ['an agent that has pushed nothing', 'founder'],
  ])('what is committed by %s reaches its child at that one’s next stop', async (_who, parent) => {
    const [child, file] = [`child-of-${parent}`, `own-${parent}.txt`]
    if (parent !== 'root') {
      tree.script(parent, {
        steps: [{ do: 'file', path: go(parent) }, write(file, 'own\n'), commit('Its own')],
      })
      await tree.call('spawn_subtree', { task: 'x', branch_name: parent })
    }
    tree.script(child, {
      steps: [
        write(`${child}.txt`, 'x\n'),
        commit('Work'),
        { do: 'file', path: go(child) },
        filePr,
      ],
    })
    await worker(tree, child, parent === 'root' ? undefined : parent)
    const { worktree } = await waitFor('the child', () => tree.agent(child))
    await tree.logged(child, 'its commit', (entry) => entry['kind'] === 'commit')
    if (parent === 'root') {
      writeFileSync(join(tree.repository.path, file), 'own\n')
      await tree.repository.git('add', file)
      await tree.repository.git('commit', '-qm', 'Its own')
    } else {
      await release(parent)
      await tree.logged(parent, 'its commit', (entry) => entry['kind'] === 'commit')
    }
    await release(child)
    await waitFor('the child to idle', async () => (await tree.agent(child)).state === 'idle', {
      limit: 60_000,
    })
    expect(readFileSync(join(worktree, file), 'utf8')).toBe('own\n')
    // And nothing but its own is in its pull request.
    expect(
      (await tree.call('pr_diff', { pr_number: await filed(tree, child) })).diff,
    ).not.toContain(file)
  })

  it('what is merged by hand, with git, is merged at the next look', async () => {
    tree.script('byhand', { steps: [write('byhand.txt', 'x\n'), commit('By hand'), filePr] })
    await worker(tree, 'byhand')
    const number = await filed(tree, 'byhand')
    // The stop check of an agent brings what its parent has committed to the forge: here nobody may
    // stop any more.
    const living = async (): Promise<any[]> =>
      (await tree.tree()).root.children.filter(({ state }: any) => isAlive(state))
    await waitFor('all to idle', async () =>
      (await living()).every(({ state }) => state === 'idle'),
    )
    for (const { id, name } of await living())
      if (name !== 'byhand') await tree.call('kill', { agent: id })
    // A commit of one’s own is no merge, and stays here.
    const before = await tree.repository.git('rev-parse', 'refs/remotes/exomonad/main')
    await tree.repository.git('commit', '-q', '--allow-empty', '-m', 'Of one’s own')
    expect(await tree.call('pr_show', { pr_number: number })).toMatchObject({ state: 'open' })
    expect(await tree.repository.git('rev-parse', 'refs/remotes/exomonad/main')).toBe(before)
    await tree.repository.git('merge', '-q', '--no-ff', '-m', 'Merge by hand', 'main.byhand')
    expect(await tree.call('pr_show', { pr_number: number })).toMatchObject({ state: 'merged' })
    const merged = await waitFor('the news', async () =>
      (await tree.events()).find(
        ({ type, payload }) => type === 'pr.merged' && payload.number === number,
      ),
    )
    expect(merged.payload).toMatchObject({ external: true })
    expect(await tree.repository.git('rev-parse', 'refs/remotes/exomonad/main')).toBe(
      await tree.repository.git('rev-parse', 'main'),
    )
  })

  it('and so it is where the stop check of an agent brings earlier commits there in that very moment', async () => {
    tree.script('atonce', { steps: [write('atonce.txt', 'x\n'), commit('At once'), filePr] })
    await worker(tree, 'atonce')
    const number = await filed(tree, 'atonce')
    await waitFor('it to idle', async () => (await tree.agent('atonce')).state === 'idle')
    await tree.repository.git('commit', '-q', '--allow-empty', '-m', 'Earlier')
    const earlier = await tree.repository.git('rev-parse', 'main')
    // In the middle of the first push that comes.
    const hook = join(tree.state, 'origin.git', 'hooks', 'pre-receive')
    const done = join(tree.repository.folder, 'brought')
    writeFileSync(
      hook,
      `#!/bin/sh\nunset GIT_QUARANTINE_PATH GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES\n[ -e '${done}' ] || { git update-ref refs/heads/main ${earlier} && touch '${done}'; }\n`,
      { mode: 0o755 },
    )
    onTestFinished(() => rmSync(hook))
    await tree.repository.git('merge', '-q', '--no-ff', '-m', 'Merge by hand', 'main.atonce')
    expect(await tree.call('pr_show', { pr_number: number })).toMatchObject({ state: 'merged' })
    expect(existsSync(done)).toBe(true)
  })

  it('a branch that is not the agent’s own is never rebased, and a stop check that can’t read its configuration lets go', async () => {
    tree.script('stray', {
      steps: [
        { do: 'sh', command: 'git checkout -q -b aside' },
        write('aside.txt', 'x\n'),
        commit('Aside'),
        { do: 'file', path: go('stray') },
      ],
    })
    await worker(tree, 'stray')
    const { worktree } = await waitFor('the stray', () => tree.agent('stray'))
    await tree.logged('stray', 'its commit', (entry) => entry['kind'] === 'commit')
    const before = await tree.repository.git('rev-parse', 'aside')
    tree.script('mover', { steps: [write('moved.txt', 'x\n'), commit('Moved'), filePr] })
    await worker(tree, 'mover')
    await tree.call('merge_pr', { pr_number: await filed(tree, 'mover') })
    await release('stray')
    // The daemon knows that it idles before the program was answered, and notes its stop.
    await waitFor(
      'the stray to rest',
      async () =>
        stops(tree, 'stray').at(-1)?.decision === 'allow' &&
        (await tree.agent('stray')).state === 'idle',
    )
    expect(await tree.repository.git('rev-parse', 'aside')).toBe(before)
    expect(await tree.repository.gitIn(worktree, 'symbolic-ref', '--short', 'HEAD')).toBe('aside')

    const config = join(tree.repository.path, '.exomonad', 'config.toml')
    const whole = readFileSync(config, 'utf8')
    onTestFinished(() => writeFileSync(config, whole))
    const earlier = stops(tree, 'stray').length
    writeFileSync(config, `${whole}\nnonsense = [\n`)
    await tree.call('send', { to: 'stray', message: 'go on' })
    const answer = await waitFor('the next stop', () => stops(tree, 'stray')[earlier])
    expect(answer).toMatchObject({
      decision: 'allow',
      note: expect.stringContaining('config.toml'),
    })
    await waitFor(
      'the stray to idle again',
      async () => (await tree.agent('stray')).state === 'idle',
    )
  })

  it(
    verifies(
      'R004-17',
      'a conflict that the agent leaves lying is aborted after three tries, and the parent is asked',
    ),
    async () => {
      tree.script('idler', {
        steps: [
          write('shared.txt', 'mine\n'),
          commit('Mine'),
          filePr,
          { do: 'file', path: go('idler') },
          { do: 'stop' },
          { do: 'stop' },
          { do: 'stop' },
        ],
      })
      await worker(tree, 'idler')
      await filed(tree, 'idler')
      const before = await tree.repository.git('rev-parse', 'main.idler')
      tree.script('other', { steps: [write('shared.txt', 'theirs\n'), commit('Theirs'), filePr] })
      await worker(tree, 'other')
      await tree.call('merge_pr', { pr_number: await filed(tree, 'other') })
      await release('idler')
      const question = await waitFor('the question', async () =>
        (await tree.call('inbox')).questions.find((one: any) => one.agent === 'idler'),
      )
      expect(question.message).toContain('shared.txt')
      await waitFor('it to be let go', () => stops(tree, 'idler').at(-1)?.decision === 'allow')
      const objections = stops(tree, 'idler').map((answer) => answer.objection ?? answer.decision)
      expect(objections.slice(0, 3)).toEqual([
        'rebase_conflict',
        'rebase_in_progress',
        'rebase_in_progress',
      ])
      expect(objections.slice(3)).not.toContain('rebase_in_progress')
      expect(await tree.repository.git('rev-parse', 'main.idler')).toBe(before)
      const { worktree } = await tree.agent('idler')
      expect(await tree.repository.gitIn(worktree, 'status', '--porcelain')).toBe('')
      // Of an agent that is gone there is nothing to answer.
      await tree.call('kill', { agent: 'idler' })
      expect((await tree.call('inbox')).questions).toEqual([])
    },
  )
})
