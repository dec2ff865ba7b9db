import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import { verifies } from '../../requirements.ts'

/**
 * Spawning as its callers see it: branches, worktrees, prompts, roles and limits, and nothing left
 * of what failed.
 */

const NOTHING = { prompt: 'Nothing to do.' }

/** What a spawn leaves in the world: branches, worktrees, agents. */
async function traces(
  tree: Exomonad,
): Promise<{ branches: string[]; worktrees: string[]; agents: string[] }> {
  const names = (node: any): string[] => [node.name, ...node.children.flatMap(names)]
  return {
    branches: (
      await tree.repository.git('for-each-ref', '--format=%(refname:short)', 'refs/heads')
    ).split('\n'),
    worktrees: (await tree.repository.git('worktree', 'list', '--porcelain'))
      .split('\n')
      .filter((line) => line.startsWith('worktree ')),
    agents: names((await tree.tree()).root).toSorted(),
  }
}

describe('spawning', () => {
  let tree: Exomonad
  beforeAll(async () => {
    tree = await startExomonad({ config: '[limits]\nmax_tree_depth = 2\n' })
  })
  afterAll(() => tree?.stop())

  it(
    verifies(
      'R004-01',
      'makes branch {current}.{slug} and a worktree under the main one, also when called from a nested worktree',
    ),
    async () => {
      tree.script('search', {
        steps: [
          { do: 'write', path: 'search.txt', content: 'search\n' },
          { do: 'commit', message: 'Start the search' },
          {
            do: 'tool',
            name: 'spawn_subtree',
            input: { task: 'Index it', branch_name: 'Full Text: Index!' },
            as: 'nested',
          },
        ],
      })
      const main = await tree.repository.git('rev-parse', 'main')
      const spawned = await tree.call('spawn_subtree', { task: 'Search', branch_name: 'search' })
      expect(spawned.branch).toBe('main.search')
      expect(spawned.worktree).toBe(join(tree.repository.path, '.exomonad', 'worktrees', 'search'))
      expect(await tree.repository.gitIn(spawned.worktree, 'merge-base', 'HEAD', main)).toBe(main)

      const nested = await tree.logged(
        'search',
        'the nested spawn',
        (entry) => entry['kind'] === 'tool',
      )
      expect(nested['answer']).toMatchObject({
        branch: 'main.search.full-text-index',
        worktree: join(tree.repository.path, '.exomonad', 'worktrees', 'full-text-index'),
      })
      // Its base is its caller's own branch with the commit made there, not the root's.
      expect(existsSync(join(nested['answer'].worktree, 'search.txt'))).toBe(true)
      expect(
        await tree.repository.gitIn(nested['answer'].worktree, 'symbolic-ref', '--short', 'HEAD'),
      ).toBe('main.search.full-text-index')
    },
  )

  it(
    verifies(
      'R004-02',
      'launches the tl role’s agent with the task; a session that can’t be forked makes it fresh, with a warning',
    ),
    async () => {
      const spawned = await tree.call('spawn_subtree', {
        task: 'Read the docs of «Ünïcode»',
        branch_name: 'docs',
        parent_session_id: 'some-session',
      })
      expect(spawned.session).toBe('fresh')
      expect(spawned.warnings.join(' ')).toMatch(/session|conversation|fork/i)
      const started = await tree.logged('docs', 'its start', (entry) => entry['kind'] === 'started')
      expect(started['cwd']).toBe(spawned.worktree)
      expect(readFileSync(started['argv'][0], 'utf8')).toContain('Read the docs of «Ünïcode»')
    },
  )

  it(verifies('R004-03', 'starts the prompt with the worktree warning'), async () => {
    const spawned = await tree.call('spawn_subtree', { task: 'TASK-MARK', branch_name: 'warned' })
    const started = await tree.logged('warned', 'its start', (entry) => entry['kind'] === 'started')
    const prompt = readFileSync(started['argv'][0], 'utf8')
    const warning = prompt.slice(0, prompt.indexOf('TASK-MARK'))
    expect(warning.split('\n')[0]).toMatch(/worktree/)
    expect(warning).toContain(spawned.worktree)
    expect(warning).toContain(spawned.branch)
    expect(warning).toMatch(/paths[^.]*stale/)
    expect(warning).toMatch(/relative paths/i)
    expect(warning).toMatch(/read a file again before you edit/i)
  })

  it(
    verifies(
      'R004-04',
      'gives a subtree the tl role: it spawns workers and subtrees, down to the depth limit',
    ),
    async () => {
      tree.script('lead', {
        steps: [
          { do: 'tool', name: 'spawn_workers', input: { specs: [{ name: 'hand', ...NOTHING }] } },
          {
            do: 'tool',
            name: 'spawn_subtree',
            input: { task: 'Go deeper', branch_name: 'sublead' },
          },
        ],
      })
      tree.script('sublead', {
        steps: [
          { do: 'tool', name: 'spawn_subtree', input: { task: 'Too deep', branch_name: 'abyss' } },
        ],
      })
      await tree.call('spawn_subtree', { task: 'Lead', branch_name: 'lead' })
      await tree.logged(
        'hand',
        'the worker’s start',
        (entry) => entry['kind'] === 'started' && entry['role'] === 'dev',
      )
      await tree.logged(
        'sublead',
        'the subtree’s start',
        (entry) => entry['kind'] === 'started' && entry['role'] === 'tl',
      )
      const refused = await tree.logged(
        'sublead',
        'the refusal',
        (entry) => entry['kind'] === 'tool',
      )
      expect(refused).toMatchObject({ status: 429, answer: { code: 'LIMIT_REACHED', limit: 2 } })
      expect((await traces(tree)).branches).not.toContain('main.lead.sublead.abyss')
    },
  )

  it(
    verifies('R004-06', 'spawns one worker per spec, and one bad spec doesn’t stop the others'),
    async () => {
      const result = await tree.call('spawn_workers', {
        specs: [
          { name: 'one', ...NOTHING },
          { name: '***', ...NOTHING },
          { name: 'two', ...NOTHING },
          { name: 'one', ...NOTHING },
          { name: 'three', ...NOTHING, agent: 'nobody' },
        ],
      })
      expect(result.spawned.map((agent: any) => agent.branch).toSorted()).toEqual([
        'main.one',
        'main.two',
      ])
      expect(result.errors.map((error: any) => [error.name, error.code]).toSorted()).toEqual([
        ['***', 'INVALID_ARG'],
        ['one', 'BRANCH_EXISTS'],
        ['three', 'AGENT_CLI_MISSING'],
      ])
      for (const name of ['one', 'two'])
        expect(await tree.agent(name)).toMatchObject({
          kind: 'worker',
          role: 'dev',
          base_branch: 'main',
        })
      expect(await tree.agent('three')).toBeUndefined()
    },
  )

  it(
    verifies(
      'R004-07',
      'gives a dev agent no tools that spawn, merge or answer, in the list or by call',
    ),
    async () => {
      const list = `curl -q -s --unix-socket "$EXOMONAD_SOCKET" -H "Authorization: Bearer $EXOMONAD_TOKEN" http://localhost/v1/tools`
      const forbidden = {
        spawn_subtree: { task: 'x', branch_name: 'x' },
        spawn_workers: { specs: [{ name: 'x', prompt: 'x' }] },
        merge_pr: { pr_number: 1 },
        answer_question: { agent: 'one', message: 'x' },
      }
      tree.script('dev', {
        steps: [
          { do: 'sh', command: list },
          ...Object.entries(forbidden).map(([name, input]) => ({ do: 'tool', name, input })),
          { do: 'print', text: 'tried' },
        ],
      })
      await tree.call('spawn_workers', { specs: [{ name: 'dev', ...NOTHING }] })
      await waitFor(
        'all four refusals',
        () => tree.log('dev').filter((entry) => entry['kind'] === 'tool').length === 4,
      )
      for (const entry of tree.log('dev').filter(({ kind }) => kind === 'tool'))
        expect(entry).toMatchObject({ status: 403, answer: { code: 'NOT_ALLOWED' } })
      const listed = tree.log('dev').find(({ kind }) => kind === 'sh')?.['stdout'] ?? ''
      expect(listed).toContain('file_pr')
      for (const name of Object.keys(forbidden)) expect(listed).not.toContain(name)
    },
  )

  it(
    verifies('R004-19', 'still takes the deprecated names, unlisted, with a warning'),
    async () => {
      const result = await tree.call('spawn_agents', { specs: [{ name: 'old-name', ...NOTHING }] })
      expect(JSON.stringify(result)).toMatch(/deprecated/i)
      expect(JSON.stringify(result)).toContain('spawn_workers')
      expect(await tree.agent('old-name')).toMatchObject({ kind: 'worker' })
      const mate = await tree.call('spawn_gemini_teammate', {
        name: 'mate',
        prompt: 'Nothing to do.',
      })
      expect(JSON.stringify(mate)).toMatch(/deprecated/i)
      const listed = JSON.stringify(await tree.client().get('/v1/tools'))
      expect(listed).toContain('spawn_workers')
      expect(listed).not.toContain('spawn_gemini_teammate')
    },
  )
})

describe('spawns that fail leave nothing', () => {
  it('an agent program that isn’t there, a set-up that fails, a branch that exists', async () => {
    const tree = await startExomonad({
      config:
        '[agents.gone]\nadapter = "command"\ncommand = ["/nowhere/agent"]\n[worktree]\nsetup = [["sh", "-c", "case $PWD in *doomed*) echo no luck >&2; exit 3;; esac"]]\n',
    })
    onTestFinished(() => tree.stop())
    await tree.repository.git('branch', 'main.taken')
    const before = await traces(tree)
    const { spawned, errors } = await tree.call('spawn_workers', {
      specs: [
        { name: 'missing', ...NOTHING, agent: 'gone' },
        { name: 'doomed', ...NOTHING },
        { name: 'taken', ...NOTHING },
      ],
    })
    expect(spawned).toEqual([])
    expect(Object.fromEntries(errors.map((error: any) => [error.name, error.code]))).toEqual({
      missing: 'AGENT_CLI_MISSING',
      doomed: 'SPAWN_FAILED',
      taken: 'BRANCH_EXISTS',
    })
    expect(errors.find((error: any) => error.name === 'doomed').error).toContain('no luck')
    expect(await traces(tree)).toEqual(before)
    expect(existsSync(join(tree.repository.path, '.exomonad', 'worktrees', 'doomed'))).toBe(false)
    // The name is free again.
    await tree.repository.git('branch', '-D', 'main.taken')
    expect(
      (await tree.call('spawn_workers', { specs: [{ name: 'taken', ...NOTHING }] })).spawned,
    ).toHaveLength(1)
  })

  it('uncommitted changes of the caller are named and refused, unless they are allowed', async () => {
    const tree = await startExomonad()
    onTestFinished(() => tree.stop())
    writeFileSync(join(tree.repository.path, 'half done.txt'), 'x')
    const before = await traces(tree)
    const refusal = await tree.refusal('spawn_workers', { specs: [{ name: 'clean', ...NOTHING }] })
    expect(refusal).toMatchObject({ code: 'DIRTY_WORKTREE', files: ['half done.txt'] })
    expect(await traces(tree)).toEqual(before)
    const allowed = await tree.call('spawn_subtree', {
      task: 'x',
      branch_name: 'allowed',
      allow_dirty: true,
    })
    expect(allowed.warnings.join()).toMatch(/uncommitted/)
  })

  it('20 concurrent spawns: none is lost, none twice', async () => {
    const tree = await startExomonad()
    onTestFinished(() => tree.stop())
    const names = Array.from({ length: 20 }, (_, index) => `worker-${index}`)
    const results = await Promise.all(
      names.map((name) => tree.call('spawn_workers', { specs: [{ name, ...NOTHING }] })),
    )
    expect(results.flatMap((result) => result.errors)).toEqual([])
    const { agents, branches, worktrees } = await traces(tree)
    expect(agents).toEqual(expect.arrayContaining(names))
    expect(agents).toHaveLength(21)
    expect(branches).toHaveLength(21)
    expect(worktrees).toHaveLength(21)
    await Promise.all(
      names.map((name) => tree.logged(name, 'its start', (entry) => entry['kind'] === 'ready')),
    )
    const panes = results.map((result) => result.spawned[0].pane)
    expect(new Set(panes).size).toBe(20)
    expect(
      execFileSync('git', ['fsck', '--no-dangling'], {
        cwd: tree.repository.path,
        env: { ...tree.repository.env },
        stdio: 'pipe',
      }).toString(),
    ).toBe('')
  })

  it('a live agents limit is said with its numbers', async () => {
    const tree = await startExomonad({ config: '[limits]\nmax_live_agents = 2\n' })
    onTestFinished(() => tree.stop())
    await tree.call('spawn_workers', {
      specs: [
        { name: 'first', ...NOTHING },
        { name: 'second', ...NOTHING },
      ],
    })
    expect(
      await tree.refusal('spawn_workers', { specs: [{ name: 'third', ...NOTHING }] }),
    ).toMatchObject({ code: 'LIMIT_REACHED', limit: 2, live: 2 })
    await tree.call('kill', { agent: 'first' })
    expect(
      (await tree.call('spawn_workers', { specs: [{ name: 'third', ...NOTHING }] })).spawned,
    ).toHaveLength(1)
  })
})

it('a branch may be as long as git can keep it; one that is longer says so', async () => {
  const tree = await startExomonad({ init: false })
  onTestFinished(() => tree.stop())
  const root = 'r'.repeat(240)
  await tree.repository.git('checkout', '-q', '-b', root)
  expect(await tree.command(['init'])).toMatchObject({ code: 0 })
  const before = await traces(tree)
  const { spawned, errors } = await tree.call('spawn_workers', {
    specs: [{ name: 'ten-letters', ...NOTHING }],
  })
  expect(spawned).toEqual([])
  expect(errors).toMatchObject([
    {
      name: 'ten-letters',
      code: 'INVALID_ARG',
      error: expect.stringMatching(/longer than git can keep .*Choose a shorter name/),
    },
  ])
  expect(await traces(tree)).toEqual(before)

  tree.script('nine-long', {
    steps: [
      { do: 'write', path: 'a.txt', content: 'a' },
      { do: 'commit', message: 'Add a' },
      { do: 'tool', name: 'file_pr', input: { title: 'A', body: 'A' } },
      { do: 'stop' },
    ],
  })
  await tree.call('spawn_workers', { specs: [{ name: 'nine-long', ...NOTHING }] })
  await waitFor(
    'its pull request',
    async () => (await tree.agent('nine-long')).pr?.state === 'open',
  )
  const { pr } = await tree.agent('nine-long')
  await tree.call('merge_pr', { pr_number: pr.number })
  expect(existsSync(join(tree.repository.path, 'a.txt'))).toBe(true)
})
