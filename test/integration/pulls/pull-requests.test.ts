import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import { verifies } from '../../requirements.ts'

/** Pull requests from filing to merge, with the local forge, its checks and its reviews. */

const received = (tree: Exomonad, name: string, pattern: RegExp): Promise<string> =>
  waitFor(
    `${String(pattern)} in the pane of ${name}`,
    () =>
      tree.log(name).find((entry) => entry['kind'] === 'message' && pattern.test(entry['text']))?.[
        'text'
      ] as string | undefined,
  )

/** A worker that commits a file and files a pull request. */
const filing = (file: string, content = 'done\n') => ({
  steps: [
    { do: 'write', path: file, content },
    { do: 'commit', message: `Add ${file}` },
    {
      do: 'tool',
      name: 'file_pr',
      input: { title: `Add ${file}`, body: `It holds ${content}` },
      as: 'pr',
    },
  ],
})

const spawnWorker = (tree: Exomonad, name: string, as?: string) =>
  tree.call(
    'spawn_workers',
    { specs: [{ name, prompt: 'Nothing to do.' }] },
    as === undefined ? {} : { as },
  )
const filed = async (tree: Exomonad, name: string): Promise<any> => {
  const entry = await tree.logged(name, 'its pull request', (line) => line['name'] === 'file_pr')
  if (entry['status'] !== 200) throw new Error(JSON.stringify(entry))
  return entry['answer']
}
const shown = (tree: Exomonad, number: number) =>
  tree.client().call('pr_show', { pr_number: number })

describe('pull requests', () => {
  let tree: Exomonad
  beforeAll(async () => {
    tree = await startExomonad({ files: { 'README.md': '# Library\n', 'list.txt': 'one\n' } })
    tree.script('lead', {})
    await tree.call('spawn_subtree', { task: 'Lead', branch_name: 'lead' })
    await tree.logged('lead', 'its start', (entry) => entry['kind'] === 'ready')
  })
  afterAll(() => tree?.stop())

  it(
    verifies(
      'R004-08',
      'go to the recorded parent branch, are pushed, and are updated when filed again',
    ),
    async () => {
      tree.script('filer', {
        steps: [
          ...filing('a.txt').steps,
          { do: 'write', path: 'a.txt', content: 'better\n' },
          { do: 'commit', message: 'Fix a.txt' },
          { do: 'tool', name: 'file_pr', input: { title: 'Add a better a.txt', body: 'Fixed' } },
        ],
      })
      await spawnWorker(tree, 'filer', 'lead')
      await waitFor(
        'both filings',
        () => tree.log('filer').filter((entry) => entry['name'] === 'file_pr').length === 2,
      )
      const [first, second] = tree
        .log('filer')
        .flatMap((entry) => (entry['name'] === 'file_pr' ? [entry['answer']] : []))
      expect(first).toMatchObject({
        head_branch: 'main.lead.filer',
        base_branch: 'main.lead',
        created: true,
      })
      expect(second).toMatchObject({ pr_number: first.pr_number, created: false })
      const pull = await shown(tree, first.pr_number)
      expect(pull).toMatchObject({
        title: 'Add a better a.txt',
        state: 'open',
        head_sha: await tree.repository.git('rev-parse', 'main.lead.filer'),
      })
      const origin = join(tree.state, 'origin.git')
      expect(
        execFileSync('git', ['rev-parse', 'main.lead.filer'], {
          cwd: origin,
          env: { ...tree.repository.env },
        })
          .toString()
          .trim(),
      ).toBe(pull.head_sha)
      await received(tree, 'lead', /\[PR (OPENED|READY)\].*filer|filer.*\[PR/s)
    },
  )

  it(
    verifies(
      'R004-08',
      'are refused with words where there is nothing to merge, or changes are uncommitted',
    ),
    async () => {
      tree.script('idle', {
        stop: false,
        steps: [{ do: 'tool', name: 'file_pr', input: { title: 'Nothing', body: 'x' } }],
      })
      tree.script('messy', {
        stop: false,
        steps: [
          ...filing('m.txt').steps.slice(0, 1),
          { do: 'tool', name: 'file_pr', input: { title: 'Mess', body: 'x' } },
        ],
      })
      await spawnWorker(tree, 'idle', 'lead')
      await spawnWorker(tree, 'messy', 'lead')
      expect(
        await tree.logged('idle', 'the refusal', (entry) => entry['kind'] === 'tool'),
      ).toMatchObject({ answer: { code: 'NOTHING_TO_MERGE' } })
      expect(
        await tree.logged('messy', 'the refusal', (entry) => entry['kind'] === 'tool'),
      ).toMatchObject({ answer: { code: 'DIRTY_WORKTREE' } })
    },
  )

  it(verifies('R004-15', 'are filed by tech leads as by workers'), async () => {
    tree.script('subtree', filing('subtree.txt'))
    tree.script('leaf', filing('leaf.txt'))
    await tree.call('spawn_subtree', { task: 'x', branch_name: 'subtree' })
    await spawnWorker(tree, 'leaf')
    expect(await filed(tree, 'subtree')).toMatchObject({ base_branch: 'main', created: true })
    expect(await filed(tree, 'leaf')).toMatchObject({ base_branch: 'main', created: true })
  })

  it(
    verifies(
      'R004-10',
      'are merged by the parent alone: workers squashed, subtrees merged, guarded by the head',
    ),
    async () => {
      const author = {
        do: 'sh',
        command: 'git config user.name "Some Body"; git config user.email some@example.invalid',
      }
      tree.script('squashed', {
        steps: [
          { do: 'write', path: 's.txt', content: '1\n' },
          { do: 'commit', message: 'First step' },
          ...filing('s.txt', '2\n').steps,
        ],
      })
      tree.script('merged', { steps: [author, ...filing('merged.txt').steps] })
      await spawnWorker(tree, 'squashed', 'lead')
      await tree.call('spawn_subtree', { task: 'x', branch_name: 'merged' })
      const squash = await filed(tree, 'squashed')
      const merge = await filed(tree, 'merged')

      // Another tech lead is not its parent.
      tree.script('rival', {
        stop: false,
        steps: [{ do: 'tool', name: 'merge_pr', input: { pr_number: squash.pr_number } }],
      })
      await tree.call('spawn_subtree', { task: 'x', branch_name: 'rival' })
      expect(
        await tree.logged('rival', 'the refusal', (entry) => entry['kind'] === 'tool'),
      ).toMatchObject({ status: 403, answer: { code: 'NOT_A_CHILD' } })
      expect(await tree.refusal('merge_pr', { pr_number: 999 })).toMatchObject({
        code: 'PR_NOT_FOUND',
      })

      // What was looked at before the last push is neither reviewed nor merged.
      const { head_sha: head } = await tree.call(
        'pr_diff',
        { pr_number: squash.pr_number },
        { as: 'lead' },
      )
      expect(head).toBe(await tree.repository.git('rev-parse', 'main.lead.squashed'))
      const older = {
        pr_number: squash.pr_number,
        head_sha: await tree.repository.git('rev-parse', 'main.lead.squashed~1'),
      }
      expect(await tree.refusal('merge_pr', older, { as: 'lead' })).toMatchObject({
        code: 'HEAD_CHANGED',
        head,
      })
      expect(
        await tree.refusal('pr_review', { ...older, verdict: 'approve' }, { as: 'lead' }),
      ).toMatchObject({ code: 'HEAD_CHANGED' })
      const first = await tree.call(
        'merge_pr',
        { pr_number: squash.pr_number, head_sha: head },
        { as: 'lead' },
      )
      expect(first).toMatchObject({ merged: true, local_synced: true })
      const parents = async (sha: string): Promise<string[]> =>
        (await tree.repository.git('show', '-s', '--format=%P', sha)).split(' ')
      expect(await parents(first.sha)).toHaveLength(1)
      const second = await tree.call('merge_pr', { pr_number: merge.pr_number })
      expect(await parents(second.sha)).toEqual([
        expect.any(String),
        await tree.repository.git('rev-parse', 'main.merged'),
      ])
      expect(await tree.refusal('merge_pr', { pr_number: merge.pr_number })).toMatchObject({
        code: 'PR_NOT_MERGEABLE',
      })
      await tree.call('send', { to: 'merged', message: 'Go on.' })
      await received(tree, 'merged', /\[MERGED\]/)
    },
  )

  it(
    verifies(
      'R004-11',
      'are in the parent’s worktree after the merge; where it is dirty the answer says so and nothing is lost',
    ),
    async () => {
      tree.script('clean-merge', filing('clean.txt'))
      tree.script('dirty-merge', filing('list.txt', 'one\ntwo\n'))
      await spawnWorker(tree, 'clean-merge')
      await spawnWorker(tree, 'dirty-merge')
      const clean = await filed(tree, 'clean-merge')
      const dirty = await filed(tree, 'dirty-merge')
      const merged = await tree.call('merge_pr', { pr_number: clean.pr_number })
      expect(merged).toMatchObject({
        merged: true,
        local_synced: true,
        siblings_behind: expect.arrayContaining(['main.dirty-merge']),
      })
      expect(readFileSync(join(tree.repository.path, 'clean.txt'), 'utf8')).toBe('done\n')

      writeFileSync(join(tree.repository.path, 'list.txt'), 'mine, unsaved\n')
      const kept = await tree.call('merge_pr', { pr_number: dirty.pr_number })
      expect(kept).toMatchObject({ merged: true, local_synced: false })
      expect(kept.pull_error).toBeTruthy()
      expect(readFileSync(join(tree.repository.path, 'list.txt'), 'utf8')).toBe('mine, unsaved\n')
      await tree.repository.git('checkout', '-q', '--', 'list.txt')
      const remote =
        (await tree.repository.git('remote'))
          .split('\n')
          .find((name) => name === 'origin' || name === 'exomonad') ?? ''
      await tree.repository.git('pull', '-q', '--ff-only', remote, 'main')
      expect(readFileSync(join(tree.repository.path, 'list.txt'), 'utf8')).toBe('one\ntwo\n')
    },
  )
})

describe('checks and reviews', () => {
  it(
    verifies(
      'R004-09',
      'filing starts the checks; red ones reach the worker with the end of the log and keep the merge shut',
    ),
    async () => {
      const tree = await startExomonad({
        files: {
          'check.sh':
            'echo checking; test -f good.txt || { echo "good.txt is missing" >&2; exit 1; }\n',
        },
        config: '[forge.local]\nci = ["sh", "check.sh"]\n',
      })
      onTestFinished(() => tree.stop())
      tree.script('fixer', {
        steps: filing('bad.txt').steps,
        on: [{ match: '\\[CI FAILED\\]', once: true, steps: filing('good.txt').steps }],
      })
      await spawnWorker(tree, 'fixer')
      const pull = await filed(tree, 'fixer')
      const failure = await received(tree, 'fixer', /\[CI FAILED\]/)
      expect(failure).toContain('good.txt is missing')
      await waitFor(
        'green checks',
        async () => (await shown(tree, pull.pr_number)).checks === 'passed',
      )
      // The forge knows it a moment before it is reported.
      const types = await waitFor('green checks to be reported', async () => {
        const seen = (await tree.events()).map((event) => event.type)
        return seen.includes('ci.passed') ? seen : undefined
      })
      expect(types.indexOf('ci.failed')).toBeGreaterThan(types.indexOf('pr.opened'))
      expect(types.indexOf('ci.passed')).toBeGreaterThan(types.indexOf('ci.failed'))
      expect(await tree.call('merge_pr', { pr_number: pull.pr_number })).toMatchObject({
        merged: true,
      })
      expect(existsSync(join(tree.repository.path, 'good.txt'))).toBe(true)
    },
  )

  it('red or running checks refuse a merge with the reasons; the human may force it, an agent may not', async () => {
    const tree = await startExomonad({ config: '[forge.local]\nci = ["false"]\n' })
    onTestFinished(() => tree.stop())
    const forcing = [{ do: 'tool', name: 'merge_pr', input: { pr_number: 1, force: true } }]
    tree.script('lead', { on: [{ match: 'force it', steps: forcing }] })
    tree.script('red', { ...filing('red.txt'), stop: false })
    await tree.call('spawn_subtree', { task: 'x', branch_name: 'lead' })
    await spawnWorker(tree, 'red', 'lead')
    const pull = await filed(tree, 'red')
    await waitFor('red checks', async () => (await shown(tree, pull.pr_number)).checks === 'failed')
    expect(await tree.refusal('merge_pr', { pr_number: pull.pr_number })).toMatchObject({
      code: 'CHECKS_FAILED',
    })
    // Its own parent, who may merge it once it is green.
    await tree.call('send', { to: 'lead', message: 'force it' })
    expect(
      await tree.logged('lead', 'the refusal', (entry) => entry['name'] === 'merge_pr'),
    ).toMatchObject({
      status: 403,
      answer: {
        code: 'NOT_ALLOWED',
        error: expect.stringContaining('Only the human may force a merge'),
      },
    })
    expect((await shown(tree, pull.pr_number)).state).toBe('open')
    expect(await tree.call('merge_pr', { pr_number: pull.pr_number, force: true })).toMatchObject({
      merged: true,
    })
  })

  it('checks are run again on the same head when a parent or the human asks, and each result is reported', async () => {
    const folder = mkdtempSync(join(tmpdir(), 't-flaky-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const tree = await startExomonad({
      config: `[forge.local]\nci = ["test", "-f", ${JSON.stringify(join(folder, 'good'))}]\n`,
    })
    onTestFinished(() => tree.stop())
    tree.script('flaky', { ...filing('a.txt'), stop: false })
    await spawnWorker(tree, 'flaky')
    const { pr_number: number } = await filed(tree, 'flaky')
    const delivered = async (type: string) =>
      (await tree.events()).filter((event) => event.type === type).length
    await waitFor('red checks', async () => (await delivered('ci.failed')) === 1)
    expect(
      await tree.refusal('pr_checks', { pr_number: number, rerun: true }, { as: 'flaky' }),
    ).toMatchObject({ code: 'NOT_ALLOWED' })
    expect(await tree.call('pr_checks', { pr_number: number }, { as: 'flaky' })).toMatchObject({
      state: 'failed',
      rerun: null,
    })

    const again = await tree.command(['pr', 'checks', 'flaky', '--rerun'])
    expect(again.stdout).toContain('Started again')
    await waitFor('red checks again', async () => (await delivered('ci.failed')) === 2)
    writeFileSync(join(folder, 'good'), '')
    expect(await tree.call('pr_checks', { pr_number: number, rerun: true })).toMatchObject({
      rerun: 'started',
    })
    await waitFor('green checks', async () => (await delivered('ci.passed')) === 1)
    expect(await tree.call('merge_pr', { pr_number: number })).toMatchObject({ merged: true })
  })

  it(
    verifies('R004-16', 'reviews, checks and merges from outside come to the right pane, rendered'),
    async () => {
      const tree = await startExomonad({ config: '[forge]\npoll_active = 0.2\npoll_idle = 0.2\n' })
      onTestFinished(() => tree.stop())
      tree.script('lead', {})
      tree.script('author', {
        ...filing('file.txt', 'teh thing\n'),
        on: [
          {
            match: 'requests changes|Changes were requested',
            once: true,
            steps: filing('file.txt', 'the thing\n').steps,
          },
        ],
      })
      tree.script('bystander', {})
      await tree.call('spawn_subtree', { task: 'x', branch_name: 'lead' })
      await spawnWorker(tree, 'author', 'lead')
      await spawnWorker(tree, 'bystander', 'lead')
      const { pr_number: number } = await filed(tree, 'author')
      const review = await tree.command([
        'pr',
        'review',
        String(number),
        '--request-changes',
        '-m',
        'Look again',
        '--at',
        'file.txt:1 A typo',
        '--as',
        'lead',
      ])
      expect(review.stderr + review.stdout).toMatch(/review|changes/i)
      expect(review.code).toBe(0)
      const delivered = await received(tree, 'author', /A typo/)
      expect(delivered).toContain('file.txt:1')
      await received(tree, 'lead', /\[FIXES PUSHED\]/)
      await waitFor(
        'the change request to be answered',
        async () => (await shown(tree, number)).review !== 'changes_requested',
      )
      expect(
        tree
          .log('bystander')
          .filter((entry) => entry['kind'] === 'message' && /typo/.test(entry['text'])),
      ).toEqual([])

      // Somebody else merges the branch by hand and pushes.
      const remote =
        (await tree.repository.git('remote'))
          .split('\n')
          .find((name) => name === 'origin' || name === 'exomonad') ?? ''
      await tree.repository.git('push', '-q', remote, 'main.lead.author:main.lead')
      await waitFor('the merge to be noticed', async () =>
        (await tree.events()).some(({ type }) => type === 'pr.merged'),
      )
      await tree.call('send', { to: 'lead', message: 'Go on.' })
      await received(tree, 'lead', /\[MERGED\]/)
      const merged = (await tree.events()).find((event) => event.type === 'pr.merged')
      expect(merged.payload).toMatchObject({ number, external: true })
    },
  )

  it(
    verifies(
      'R004-10',
      'several merged into one base at once all land, in some order, each once, and the worktree has them all',
    ),
    async () => {
      const tree = await startExomonad()
      onTestFinished(() => tree.stop())
      const names = ['a', 'b', 'c', 'd', 'e']
      for (const name of names) tree.script(name, filing(`${name}.txt`))
      await tree.call('spawn_workers', { specs: names.map((name) => ({ name, prompt: 'x' })) })
      const numbers = await Promise.all(
        names.map(async (name) => (await filed(tree, name)).pr_number as number),
      )
      const merged = await Promise.all(
        numbers.map((number) => tree.call('merge_pr', { pr_number: number })),
      )
      expect(merged.map((one) => one.merged)).toEqual(names.map(() => true))
      // Each squashed onto the one before: five commits in a row, nothing forced, nothing lost.
      const subjects = (
        await tree.repository.git('log', '--format=%s', '--first-parent', 'main')
      ).split('\n')
      expect(subjects.filter((line) => line.startsWith('Add ')).toSorted()).toEqual(
        names.map((name) => expect.stringContaining(`Add ${name}.txt`)),
      )
      for (const name of names)
        expect(existsSync(join(tree.repository.path, `${name}.txt`))).toBe(true)
      expect(await tree.repository.git('status', '--porcelain', '--untracked-files=no')).toBe('')
      expect(
        (await tree.events())
          .filter(({ type }) => type === 'pr.merged')
          .map(({ payload }) => payload.number)
          .toSorted(),
      ).toEqual(numbers.toSorted())
    },
  )
})
