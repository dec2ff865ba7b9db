import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { runProgram, startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import { verifies } from '../../requirements.ts'

/** What is sent to an agent when it wants to stop, and that it is let go in the end. */

const top = join(import.meta.dirname, '..', '..', '..')
const spawnWorker = (tree: Exomonad, name: string) =>
  tree.call('spawn_workers', { specs: [{ name, prompt: 'Nothing to do.' }] })
const stops = (tree: Exomonad, name: string): any[] =>
  tree.log(name).flatMap((entry) => (entry['kind'] === 'stop' ? [entry['answer']] : []))
/** At rest, and it has written down that it was let go: the daemon knows of that first. */
const rests = (tree: Exomonad, name: string): Promise<unknown> =>
  waitFor(
    `${name} to rest`,
    async () => {
      const last = tree.log(name).at(-1)
      return (
        last?.['kind'] === 'stop' &&
        last['answer']?.decision === 'allow' &&
        (await tree.agent(name)).state === 'idle'
      )
    },
    { limit: 30_000 },
  )
const write = (path: string, content: string) => ({ do: 'write', path, content })
const commit = (message: string) => ({ do: 'commit', message })
const filePr = { do: 'tool', name: 'file_pr', input: { title: 'Work', body: 'Done' } }

describe('the stop check', () => {
  let tree: Exomonad
  beforeAll(async () => {
    tree = await startExomonad({ files: { 'shared.txt': 'base\n', 'README.md': '#\n' } })
  })
  afterAll(() => tree?.stop())

  it('asks for a commit, then for a pull request, then lets go', async () => {
    tree.script('forgetful', {
      steps: [write('f.txt', 'x\n')],
      on: [
        { match: 'uncommitted', steps: [commit('Add f')] },
        { match: 'no pull request', steps: [filePr] },
      ],
    })
    await spawnWorker(tree, 'forgetful')
    await rests(tree, 'forgetful')
    expect(stops(tree, 'forgetful').map((answer) => answer.objection ?? answer.decision)).toEqual([
      'uncommitted',
      'no_pull_request',
      'allow',
    ])
    expect(stops(tree, 'forgetful')[0].reason).toContain('f.txt')
  })

  it('takes a reason instead of a commit', async () => {
    tree.script('excused', {
      steps: [
        write('scratch.txt', 'x\n'),
        { do: 'sh', command: 'exomonad note --stop-reason "waiting for the schema"' },
      ],
    })
    await spawnWorker(tree, 'excused')
    await rests(tree, 'excused')
    expect(stops(tree, 'excused').at(-1)).toMatchObject({ decision: 'allow' })
    expect(stops(tree, 'excused').filter((answer) => answer.objection === 'uncommitted')).toEqual(
      [],
    )
    const inbox = await tree.call('inbox')
    expect(inbox.messages.map((message: any) => message.text).join('\n')).toContain(
      'waiting for the schema',
    )
  })

  it('lets go after max_blocks of the same objection, and notifies the parent', async () => {
    tree.script('stubborn', {
      steps: [write('s.txt', 'x\n'), ...[1, 2, 3, 4].map(() => ({ do: 'stop' }))],
      on: [],
      stop: false,
    })
    await spawnWorker(tree, 'stubborn')
    await waitFor('four answers', () => stops(tree, 'stubborn').length === 4)
    expect(stops(tree, 'stubborn').map((answer) => answer.decision)).toEqual([
      'block',
      'block',
      'block',
      'allow',
    ])
    await waitFor('the human to be notified', async () =>
      JSON.stringify(await tree.call('inbox')).includes('stubborn'),
    )
    expect(
      (await tree.events()).find((event) => event.type === 'stop.released')?.payload,
    ).toMatchObject({ name: 'stubborn', objection: 'uncommitted' })
  })

  it(
    verifies('R004-17', 'fetches the parent and rebases onto it, keeps the work, and pushes'),
    async () => {
      tree.script('behind', {
        steps: [
          write('behind.txt', 'x\n'),
          commit('Add behind'),
          filePr,
          { do: 'file', path: join(tree.repository.folder, 'go-behind') },
        ],
      })
      tree.script('ahead', { steps: [write('ahead.txt', 'x\n'), commit('Add ahead'), filePr] })
      await spawnWorker(tree, 'behind')
      await spawnWorker(tree, 'ahead')
      const { answer } = await tree.logged(
        'ahead',
        'its pull request',
        (entry) => entry['name'] === 'file_pr',
      )
      await tree.logged('behind', 'its pull request', (entry) => entry['name'] === 'file_pr')
      const merged = await tree.call('merge_pr', { pr_number: answer.pr_number })
      expect(merged.siblings_behind).toContain('main.behind')
      const { worktree, branch } = await tree.agent('behind')
      await runProgram('touch', [join(tree.repository.folder, 'go-behind')], {
        env: tree.repository.env,
      })
      await waitFor('the rebase', async () =>
        (await tree.events()).some(
          (event) => event.type === 'rebase.done' && event.payload.branch === branch,
        ),
      )
      expect(readFileSync(join(worktree, 'ahead.txt'), 'utf8')).toBe('x\n')
      const log = await tree.repository.gitIn(worktree, 'log', '--format=%s', `${merged.sha}..HEAD`)
      expect(log).toBe('Add behind')
      const pull = await waitFor('the new head', async () => {
        const list = await tree.client().call('pr_list', { state: 'open' })
        const head = await tree.repository.git('rev-parse', branch)
        return list.pull_requests.find(
          (one: any) => one.head_branch === branch && one.head_sha === head,
        )
      })
      expect(pull.mergeable).not.toBe('conflicting')
    },
  )

  it(
    verifies(
      'R004-11',
      'notifies siblings of a merge when they next stop: a conflict is left to resolve, named',
    ),
    async () => {
      const go = join(tree.repository.folder, 'go-second')
      tree.script('first', { steps: [write('shared.txt', 'first\n'), commit('First'), filePr] })
      tree.script('second', {
        steps: [
          write('shared.txt', 'second\n'),
          commit('Second'),
          filePr,
          { do: 'file', path: go },
        ],
        on: [
          {
            match: 'conflicts in: shared.txt',
            steps: [
              write('shared.txt', 'first\nsecond\n'),
              { do: 'sh', command: 'git add shared.txt && GIT_EDITOR=true git rebase --continue' },
            ],
          },
        ],
      })
      await spawnWorker(tree, 'first')
      await spawnWorker(tree, 'second')
      await tree.logged('second', 'its pull request', (entry) => entry['name'] === 'file_pr')
      const { answer } = await tree.logged(
        'first',
        'its pull request',
        (entry) => entry['name'] === 'file_pr',
      )
      await tree.call('merge_pr', { pr_number: answer.pr_number })
      await runProgram('touch', [go], { env: tree.repository.env })
      await rests(tree, 'second')
      expect(stops(tree, 'second').map((one) => one.objection ?? one.decision)).toEqual(
        expect.arrayContaining(['rebase_conflict', 'allow']),
      )
      const own = (await tree.client().call('pr_list', { state: 'open' })).pull_requests.find(
        (one: any) => one.head_branch === 'main.second',
      )
      const result = await tree.call('merge_pr', { pr_number: own?.number })
      expect(result.merged).toBe(true)
      expect(readFileSync(join(tree.repository.path, 'shared.txt'), 'utf8')).toBe('first\nsecond\n')
    },
  )

  it('is the same from hooks/stop.sh and `exomonad hook stop`, and fails open', async () => {
    tree.script('shell', {
      stop: false,
      steps: [
        write('sh.txt', 'x\n'),
        { do: 'sh', command: `sh ${join(top, 'hooks', 'stop.sh')} </dev/null`, as: 'hook' },
        { do: 'sh', command: 'exomonad hook stop </dev/null', as: 'cli', allow_failure: true },
        {
          do: 'sh',
          command: `EXOMONAD_SOCKET=/nowhere/socket sh ${join(top, 'hooks', 'stop.sh')} </dev/null`,
          as: 'dead',
        },
      ],
    })
    await spawnWorker(tree, 'shell')
    await waitFor(
      'three answers',
      () => tree.log('shell').filter((entry) => entry['kind'] === 'sh').length === 3,
    )
    const [hook, cli, dead] = tree.log('shell').filter((entry) => entry['kind'] === 'sh')
    expect(JSON.parse(hook?.['stdout'])).toMatchObject({ decision: 'block' })
    expect(hook?.['stdout']).toContain('sh.txt')
    expect(cli?.['stdout'] + cli?.['stderr']).toContain('sh.txt')
    expect(dead).toMatchObject({ status: 0 })
    expect(dead?.['stderr']).not.toBe('')
  })
})

it('counts only tries without progress: six conflicting commits, one resolved at each stop, are all kept', async () => {
  const names = [1, 2, 3, 4, 5, 6].map((number) => `f${number}.txt`)
  const all = (content: string) => names.map((name) => write(name, content))
  const tree = await startExomonad({
    files: Object.fromEntries(names.map((name) => [name, 'base\n'])),
    config: '[stop]\nmax_blocks = 3\nrebase_tries = 2\n',
  })
  onTestFinished(() => tree.stop())
  const go = join(tree.repository.folder, 'go')
  const resolve =
    'for f in $(git diff --name-only --diff-filter=U); do printf "both\\n" > $f; git add $f; done; GIT_EDITOR=true git rebase --continue || true'
  tree.script('steady', {
    steps: [
      ...names.flatMap((name) => [write(name, 'mine\n'), commit(`Mine ${name}`)]),
      filePr,
      { do: 'file', path: go },
    ],
    on: [{ match: 'conflicts in|still conflict', steps: [{ do: 'sh', command: resolve }] }],
  })
  tree.script('other', { steps: [...all('theirs\n'), commit('Theirs'), filePr] })
  await spawnWorker(tree, 'steady')
  await spawnWorker(tree, 'other')
  await tree.logged('steady', 'its pull request', (entry) => entry['name'] === 'file_pr')
  const { answer } = await tree.logged(
    'other',
    'its pull request',
    (entry) => entry['name'] === 'file_pr',
  )
  await tree.call('merge_pr', { pr_number: answer.pr_number })
  await runProgram('touch', [go], { env: tree.repository.env })
  await waitFor(
    'the rebase to be done',
    async () =>
      (await tree.events()).some(
        ({ type, payload }) => type === 'rebase.done' && payload.branch === 'main.steady',
      ),
    {
      limit: 60_000,
    },
  )
  await rests(tree, 'steady')
  const { worktree } = await tree.agent('steady')
  for (const name of names) expect(readFileSync(join(worktree, name), 'utf8')).toBe('both\n')
  const events = await tree.events()
  expect(
    events.filter(({ type }) => type === 'rebase.aborted' || type === 'stop.released'),
  ).toEqual([])
  expect(
    stops(tree, 'steady').filter(({ objection }) => objection === 'rebase_in_progress'),
  ).toHaveLength(5)
})

it.each([
  { how: 'continued, aborted and begun anew', again: 'git rebase --abort; git rebase "$onto"' },
  {
    how: 'resolved in one file and made anew',
    again: 'git checkout -q -m -- $(git diff --cached --name-only) || true',
  },
])('gives a rebase up whose progress is the same each time: $how', async ({ again, how }) => {
  const names = how.startsWith('continued') ? ['f1.txt', 'f2.txt', 'f3.txt'] : ['f1.txt', 'f2.txt']
  const tree = await startExomonad({
    files: Object.fromEntries(names.map((name) => [name, 'base\n'])),
    config: '[stop]\nmax_blocks = 10\nrebase_tries = 2\n',
  })
  onTestFinished(() => tree.stop())
  const go = join(tree.repository.folder, 'go')
  const mine = names.map((name) => write(name, 'mine\n'))
  const commits = how.startsWith('continued')
    ? mine.flatMap((step, number) => [step, commit(`Mine ${number}`)])
    : [...mine, commit('Mine')]
  // By turns one file resolved, and all as it was.
  const turn = how.startsWith('continued')
    ? 'for f in $(git diff --name-only --diff-filter=U); do echo both > $f; git add $f; done; GIT_EDITOR=true git rebase --continue'
    : 'echo both > f1.txt; git add f1.txt'
  const command = `at=$(git rev-parse --git-dir); onto=$(cat $at/rebase-merge/onto); if [ -e $at/turned ]; then rm $at/turned; ${again}; else touch $at/turned; ${turn}; fi; true`
  tree.script('circling', {
    steps: [...commits, filePr, { do: 'file', path: go }],
    on: [{ match: 'conflicts in|still conflict', steps: [{ do: 'sh', command }] }],
  })
  tree.script('other', {
    steps: [...names.map((name) => write(name, 'theirs\n')), commit('Theirs'), filePr],
  })
  await spawnWorker(tree, 'circling')
  await spawnWorker(tree, 'other')
  await tree.logged('circling', 'its pull request', (entry) => entry['name'] === 'file_pr')
  const { answer } = await tree.logged(
    'other',
    'its pull request',
    (entry) => entry['name'] === 'file_pr',
  )
  await tree.call('merge_pr', { pr_number: answer.pr_number })
  await runProgram('touch', [go], { env: tree.repository.env })
  await waitFor(
    'it to be given up',
    () => stops(tree, 'circling').some(({ objection }) => objection === 'rebase_given_up'),
    { limit: 60_000 },
  )
  // The first, one that was further, and as many as are left.
  expect(
    stops(tree, 'circling').filter(({ objection }) => objection === 'rebase_in_progress'),
  ).toHaveLength(2)
})

it(
  verifies(
    'R004-17',
    'gives a conflict back three times, then aborts the rebase and asks the parent by itself',
  ),
  async () => {
    const tree = await startExomonad({
      files: { 'shared.txt': 'base\n' },
      config: '[stop]\nmax_blocks = 10\nrebase_tries = 3\n',
    })
    onTestFinished(() => tree.stop())
    const go = join(tree.repository.folder, 'go')
    tree.script('helpless', {
      steps: [write('shared.txt', 'mine\n'), commit('Mine'), filePr, { do: 'file', path: go }],
      on: [{ match: 'conflicts in', steps: [{ do: 'sh', command: 'git rebase --abort' }] }],
    })
    tree.script('other', { steps: [write('shared.txt', 'theirs\n'), commit('Theirs'), filePr] })
    await spawnWorker(tree, 'helpless')
    await spawnWorker(tree, 'other')
    await tree.logged('helpless', 'its pull request', (entry) => entry['name'] === 'file_pr')
    const { answer } = await tree.logged(
      'other',
      'its pull request',
      (entry) => entry['name'] === 'file_pr',
    )
    await tree.call('merge_pr', { pr_number: answer.pr_number })
    const before = await tree.repository.git('rev-parse', 'main.helpless')
    await runProgram('touch', [go], { env: tree.repository.env })
    const question = await waitFor(
      'the question',
      async () => (await tree.call('inbox')).questions.find((one: any) => one.agent === 'helpless'),
      {
        limit: 30_000,
      },
    )
    expect(question.message).toContain('shared.txt')
    // It is notified of that, and not asked for anything else meanwhile.
    await rests(tree, 'helpless')
    const said = stops(tree, 'helpless')
    const givenUp = said.findIndex(({ objection }) => objection === 'rebase_given_up')
    expect(said[givenUp].reason).toContain('Your parent was asked in your name')
    expect(
      said
        .slice(givenUp + 1)
        .filter(({ objection }) => objection !== undefined && objection !== 'messages'),
    ).toEqual([])
    expect((await tree.events()).filter((event) => event.type === 'rebase.conflict')).toHaveLength(
      3,
    )
    expect(await tree.repository.git('rev-parse', 'main.helpless')).toBe(before)
    const { worktree } = await tree.agent('helpless')
    expect(await tree.repository.gitIn(worktree, 'status', '--porcelain=v2', '--branch')).toContain(
      'main.helpless',
    )
    expect(readFileSync(join(worktree, 'shared.txt'), 'utf8')).toBe('mine\n')
  },
)

it.each([
  { whose: 'the daemon', file: 'other.txt', stopped: 1 },
  { whose: 'its agent, after a conflict', file: 'shared.txt', stopped: 2 },
])(
  'reports at the next stop a rebase by $whose that was pushed when the daemon ended, before it noted that',
  async ({ whose, file, stopped }) => {
    const tree = await startExomonad({ files: { 'shared.txt': 'base\n' } })
    onTestFinished(() => tree.stop())
    const inStore = (statement: string): void => {
      const database = new Database(join(tree.state, 'store.db'))
      database.exec(statement)
      database.close()
    }
    const reported = async () =>
      (await tree.events())
        .filter((event) => event.type === 'rebase.done')
        .map(({ actor, payload }) => [actor, payload.head])
    const go = join(tree.repository.folder, 'go')
    tree.script('first', { steps: [write('shared.txt', 'first\n'), commit('First'), filePr] })
    tree.script('second', {
      steps: [write(file, 'second\n'), commit('Second'), filePr, { do: 'file', path: go }],
      on: [
        {
          match: 'conflicts in: shared.txt',
          steps: [
            write('shared.txt', 'first\nsecond\n'),
            { do: 'sh', command: 'git add shared.txt && GIT_EDITOR=true git rebase --continue' },
          ],
        },
      ],
    })
    await spawnWorker(tree, 'first')
    await spawnWorker(tree, 'second')
    await tree.logged('second', 'its pull request', (entry) => entry['name'] === 'file_pr')
    const { answer } = await tree.logged(
      'first',
      'its pull request',
      (entry) => entry['name'] === 'file_pr',
    )
    await tree.call('merge_pr', { pr_number: answer.pr_number })
    // As a kill between the push and the record: nothing of the record is there.
    inStore(
      "create trigger cut before insert on events when new.type = 'rebase.done' begin select raise(abort, 'cut off'); end",
    )
    await runProgram('touch', [go], { env: tree.repository.env })
    const { id, worktree } = await tree.agent('second')
    const head = await waitFor('the push', async () => {
      // First: what is read before it may be of before the rebase. What waited for it begins further
      // turns.
      if (stops(tree, 'second').length < stopped) return undefined
      const resolved = await tree.repository.gitIn(worktree, 'rev-parse', 'HEAD')
      const pushed = (
        await tree.repository.git('ls-remote', 'exomonad', 'refs/heads/main.second')
      ).split('\t')[0]
      return pushed === resolved ? resolved : undefined
    })
    expect(await reported()).toEqual([])
    const by = whose === 'the daemon' ? 'daemon' : id
    await tree.crash()
    inStore('drop trigger cut')
    await tree.command(['daemon', 'start'])
    await tree.call('send', { to: 'second', message: 'carry on' })
    await waitFor('the rebase to be reported', async () => (await reported()).length > 0)
    expect(await reported()).toEqual([[by, head]])
    await rests(tree, 'second')
    const before = stops(tree, 'second').length
    await tree.call('send', { to: 'second', message: 'and again' })
    await waitFor('another stop', () => stops(tree, 'second').length > before)
    expect(await reported()).toEqual([[by, head]])
  },
)
