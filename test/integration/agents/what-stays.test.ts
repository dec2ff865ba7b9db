import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { crashAt } from '../../helpers/crash-at.ts'
import { startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import { startGithubTree } from '../../helpers/github/github-tree.ts'
import { waitFor } from '../../helpers/wait-for.ts'

/**
 * Every reason there is to keep something that could be taken away: what is said, and that the work
 * is still there afterwards.
 */

const worktree = (tree: Exomonad, name: string): string =>
  join(tree.repository.path, '.exomonad', 'worktrees', name)
const commit = (tree: Exomonad, name: string) => async (): Promise<void> => {
  writeFileSync(join(worktree(tree, name), `${name}.txt`), name)
  await tree.repository.gitIn(worktree(tree, name), 'add', '-A')
  await tree.repository.gitIn(worktree(tree, name), 'commit', '-q', '-m', `Add ${name}`)
}
/** Resolves once it rests: what its stop check would find, or do, is not what the test makes then. */
const spawn = async (tree: Exomonad, name: string, as?: string): Promise<string> => {
  const { spawned, errors } = await tree.call(
    'spawn_workers',
    { specs: [{ name, prompt: 'x' }] },
    as === undefined ? {} : { as },
  )
  expect(errors).toEqual([])
  await waitFor(`${name} to rest`, async () => (await tree.agent(name)).state === 'idle')
  return spawned[0].agent_id
}
/** In the middle of a rebase that stopped at a conflict. */
async function beginRebase(tree: Exomonad, name: string): Promise<void> {
  const git = (...args: string[]) => tree.repository.gitIn(worktree(tree, name), ...args)
  writeFileSync(join(worktree(tree, name), 'shared.txt'), name)
  await git('commit', '-q', '-a', '-m', 'One side')
  await git('branch', '-f', `${name}-side`, 'HEAD~1')
  await git('checkout', '-q', '--detach', `${name}-side`)
  writeFileSync(join(worktree(tree, name), 'shared.txt'), 'other side')
  await git('commit', '-q', '-a', '-m', 'Other side')
  const onto = await git('rev-parse', 'HEAD')
  await git('checkout', '-q', `main.${name}`)
  await expect(git('rebase', '-q', onto)).rejects.toThrow('could not apply')
}

describe('clean', () => {
  let tree: Exomonad
  let kept: { agent: string; branch: string; worktree: string; reason: string }[]
  const places: Record<string, string> = {}

  beforeAll(async () => {
    tree = await startExomonad({ files: { 'shared.txt': 'base\n' } })
    const { repository } = tree
    const theirs = join(repository.folder, 'theirs')
    await repository.git('worktree', 'add', '-q', '-b', 'topic', theirs)
    writeFileSync(join(theirs, 'mine.txt'), 'mine')
    places['adopted'] = theirs
    await tree.call('spawn', {
      kind: 'worker',
      specs: [{ name: 'adopted', prompt: 'x', branch: 'topic' }],
    })
    for (const name of ['alive', 'dirty', 'unmerged', 'elsewhere', 'rebasing', 'gone', 'spotless'])
      await spawn(tree, name)
    tree.script('filed', {
      steps: [
        { do: 'write', path: 'filed.txt', content: 'filed\n' },
        { do: 'commit', message: 'Add filed' },
        { do: 'tool', name: 'file_pr', input: { title: 'Add filed', body: 'As asked.' } },
      ],
    })
    await spawn(tree, 'filed')
    await waitFor('its pull request', async () => (await tree.agent('filed')).pr?.number)
    await tree.call('spawn_subtree', { task: 'Lead', branch_name: 'base' })
    await spawn(tree, 'above', 'base')
    writeFileSync(join(worktree(tree, 'dirty'), 'note.txt'), 'unsaved')
    await commit(tree, 'unmerged')()
    await commit(tree, 'above')()
    await repository.gitIn(worktree(tree, 'elsewhere'), 'checkout', '-q', '-b', 'side')
    await beginRebase(tree, 'rebasing')
    for (const name of [
      'adopted',
      'dirty',
      'unmerged',
      'elsewhere',
      'rebasing',
      'gone',
      'spotless',
      'filed',
      'above',
      'base',
    ]) {
      await tree.call('kill', { agent: name })
    }
    // Its branch is all that there is of it.
    await commit(tree, 'gone')()
    rmSync(worktree(tree, 'gone'), { recursive: true })
    await waitFor('it to rest', async () => (await tree.agent('alive')).state === 'idle')
    const said = await tree.call('clean', { dry_run: true })
    kept = (await tree.call('clean', {})).kept
    // A dry run says what will be done.
    expect(said.kept).toEqual(kept)
    expect(said.removed.map(({ agent }: { agent: string }) => agent)).toEqual(['spotless'])
  })
  afterAll(() => tree.stop())

  it.each([
    ['alive', /^its program may still run \(idle\); kill it first$/],
    ['adopted', /^it was there before the agent$/],
    ['base', /^it is the base of above, which stays$/],
    ['filed', /^#1 is open$/],
    ['rebasing', /^a rebase is in progress$/],
    ['dirty', /^1 uncommitted file: note\.txt$/],
    ['elsewhere', /^its worktree is on side$/],
    ['unmerged', /^it has commits that are not proven to be in main$/],
    ['above', /^it has commits that are not proven to be in main\.base$/],
    ['gone', /^it has commits that are not proven to be in main$/],
  ])('keeps %s, whose branch and worktree are as they were', async (name, reason) => {
    const entry = kept.find(({ agent }) => agent === name)
    expect(entry?.reason).toMatch(reason)
    expect(await tree.repository.git('branch', '--list', entry?.branch ?? '')).toContain(
      entry?.branch,
    )
    if (name !== 'gone')
      expect(existsSync(join(places[name] ?? worktree(tree, name), 'shared.txt'))).toBe(true)
  })

  it('and nothing that was in them is lost', () => {
    const read = (name: string, file: string): string =>
      readFileSync(join(places[name] ?? worktree(tree, name), file), 'utf8')
    expect([
      read('dirty', 'note.txt'),
      read('adopted', 'mine.txt'),
      read('unmerged', 'unmerged.txt'),
      read('above', 'above.txt'),
    ]).toEqual(['unsaved', 'mine', 'unmerged', 'above'])
    expect(existsSync(worktree(tree, 'spotless'))).toBe(false)
  })
})

describe('deinit', () => {
  it('keeps worktrees with work or in the middle of something, and a remote with commits that are nowhere else', async () => {
    const tree = await startExomonad({ files: { 'shared.txt': 'base\n' } })
    onTestFinished(() => tree.stop())
    const { repository } = tree
    for (const name of ['dirty', 'rebasing', 'unmerged', 'broken', 'spotless'])
      await spawn(tree, name)
    writeFileSync(join(worktree(tree, 'dirty'), 'note.txt'), 'unsaved')
    await commit(tree, 'unmerged')()
    await beginRebase(tree, 'rebasing')
    // A commit that only the forge’s own repository has.
    const alone = await repository.gitIn(
      worktree(tree, 'spotless'),
      'commit-tree',
      '-m',
      'Alone',
      '-p',
      'HEAD',
      'HEAD^{tree}',
    )
    await tree.command(['down'])
    await repository.git(
      `--git-dir=${join(tree.state, 'origin.git')}`,
      'fetch',
      '-q',
      repository.path,
      `${alone}:refs/heads/only-there`,
    )
    writeFileSync(join(worktree(tree, 'broken'), '.git'), 'gitdir: /nowhere\n')
    const { json } = await tree.command(['deinit', '--json'])
    const reasons = Object.fromEntries(
      json.kept.map((one: { path: string; reason: string }) => [one.path, one.reason]),
    )
    expect(reasons[worktree(tree, 'dirty')]).toBe('uncommitted changes: note.txt')
    expect(reasons[worktree(tree, 'rebasing')]).toBe('a rebase is in progress')
    expect(reasons[worktree(tree, 'unmerged')]).toBe('not proven merged')
    expect(reasons[worktree(tree, 'broken')]).toMatch(/git/)
    expect(reasons[join(tree.state, 'origin.git')]).toMatch(
      /^remote exomonad holds commits that are nowhere else, on .*only-there/,
    )
    expect(reasons[tree.state]).toBe(
      'records of the work that is left; `exomonad init` takes it up again',
    )
    expect(existsSync(worktree(tree, 'spotless'))).toBe(false)
    expect(readFileSync(join(worktree(tree, 'dirty'), 'note.txt'), 'utf8')).toBe('unsaved')
    expect(existsSync(join(worktree(tree, 'rebasing'), 'shared.txt'))).toBe(true)
    expect(existsSync(join(worktree(tree, 'unmerged'), 'unmerged.txt'))).toBe(true)
    expect(existsSync(join(worktree(tree, 'broken'), 'shared.txt'))).toBe(true)
    expect(
      await repository.git(
        `--git-dir=${join(tree.state, 'origin.git')}`,
        'rev-parse',
        'only-there',
      ),
    ).toBe(alone)
  })
})

describe('deinit with teardown commands', () => {
  it('runs them in what goes and nowhere else; one that fails is told and keeps nothing', async () => {
    const tree = await startExomonad({
      config: `[worktree]
teardown = [
  ["sh", "-c", "echo $EXOMONAD_AGENT_NAME $EXOMONAD_SLOT $PWD >> $EXOMONAD_REPOSITORY/../torn"],
  ["sh", "-c", "echo no database; exit 3"],
]
`,
    })
    onTestFinished(() => tree.stop())
    for (const name of ['going', 'staying']) await spawn(tree, name)
    writeFileSync(join(worktree(tree, 'staying'), 'note.txt'), 'unsaved')
    const { code, json } = await tree.command(['deinit', '--json'])
    expect(code).toBe(0)
    const torn = readFileSync(join(tree.repository.folder, 'torn'), 'utf8').split(' ')
    expect(torn).toEqual(['going', expect.stringMatching(/^\d$/), `${worktree(tree, 'going')}\n`])
    expect(json.warnings).toEqual([
      expect.stringMatching(
        /teardown command `sh -c echo no .*` failed in .*going: exit 3\nno database/,
      ),
    ])
    expect(existsSync(worktree(tree, 'going'))).toBe(false)
    expect(existsSync(join(worktree(tree, 'staying'), 'note.txt'))).toBe(true)
  })
})

describe('a spawn that a crash cut off after its agent had begun', () => {
  it.each([
    ['had committed', 'git add work.txt && git -c user.name=a -c user.email=a@b commit -q -m Work'],
    ['had written', 'true'],
    ['left a worktree that can’t be looked at', 'echo gitdir: /nowhere > .git'],
  ])('is not taken back where it %s', async (_, command) => {
    // It needs no daemon for its work.
    const program = `echo work > work.txt && ${command}; touch "$OUT/ended"`
    const tree = await startExomonad()
    onTestFinished(() => tree.stop())
    const config = join(tree.repository.path, '.exomonad', 'config.toml')
    appendFileSync(
      config,
      `[agents.plain]\nadapter = "command"\ncommand = ["sh", "-c", ${JSON.stringify(program)}]\nenv = { OUT = ${JSON.stringify(tree.scripts)} }\n`,
    )
    const { dead } = await crashAt(tree, 'spawn', 'live')
    // Not by a command: that asks again after the next start, and what was taken back is made anew.
    const cut = tree
      .client()
      .callTool('spawn_workers', { specs: [{ name: 'early', prompt: 'x', agent: 'plain' }] })
    await expect(cut).rejects.toMatchObject({ code: 'DAEMON_UNAVAILABLE' })
    await dead
    await waitFor('its end', () => existsSync(join(tree.scripts, 'ended')))
    await tree.command(['daemon', 'start'])
    const early = await waitFor('it to be known', async () => {
      const agent = await tree.agent('early')
      return agent !== undefined && !['spawning', 'running'].includes(agent.state) && agent
    })
    expect(early).toMatchObject({
      state: expect.stringMatching(/failed|completed/),
      branch: 'main.early',
    })
    expect(readFileSync(join(worktree(tree, 'early'), 'work.txt'), 'utf8')).toBe('work\n')
    expect(await tree.repository.git('branch', '--list', 'main.early')).toContain('main.early')
  })
})

describe('a merged branch with delete_branch', () => {
  it('stays on the remote while something would be lost with it, and goes where nothing would', async () => {
    const { tree, github, tip, stop } = await startGithubTree({
      files: { 'README.md': '# Widgets\n' },
      githubConfig: 'copilot_review = false\ndelete_branch = true',
    })
    onTestFinished(stop)
    const filing = (name: string, ...more: object[]) => [
      { do: 'write', path: `${name}.txt`, content: `${name}\n` },
      { do: 'commit', message: `Add ${name}` },
      { do: 'tool', name: 'file_pr', input: { title: `Add ${name}`, body: 'As asked.' } },
      ...more,
    ]
    for (const name of ['plain', 'ahead']) tree.script(name, { steps: filing(name) })
    tree.script('lead', { on: [{ match: 'file now', steps: filing('lead') }] })
    for (const name of ['plain', 'ahead']) await spawn(tree, name)
    await tree.call('spawn_subtree', { task: 'Lead', branch_name: 'lead' })
    await tree.logged('lead', 'its start', (entry) => entry['kind'] === 'ready')
    await spawn(tree, 'below', 'lead')
    await tree.call('send', { to: 'lead', message: 'file now' })
    const numberOf = (name: string) =>
      waitFor(`the pull request of ${name}`, async () => (await tree.agent(name)).pr?.number, {
        limit: 60_000,
      })
    const merge = async (name: string) =>
      tree.call('merge_pr', { pr_number: await numberOf(name), force: true })

    await merge('plain')
    await waitFor('the branch to go', async () => (await tip('main.plain')) === '')

    const number = await numberOf('ahead')
    const head = github.pull(number)?.headSha
    await commit(tree, 'ahead')()
    await tree.call('merge_pr', { pr_number: number, head_sha: head, force: true })
    expect(await tip('main.ahead')).toBe(head)

    await merge('lead')
    expect(await tip('main.lead')).not.toBe('')
    for (const words of [
      /main\.ahead.*it has commits here that were not merged/,
      /main\.lead.*below works on top of it/,
    ])
      await waitFor(`${String(words)} in the log`, () =>
        words.test(readFileSync(join(tree.state, 'logs', 'daemon.log'), 'utf8')),
      )
  })
})
