import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { PullRequestSnapshot } from '../../../../src/adapters/forge/forge.ts'
import { mergeBlockers } from '../../../../src/core/pulls/merge/rules.ts'
import { isReady } from '../../../../src/core/pulls/readiness.ts'
import { openGithubForge } from '../../../helpers/github/github-forge.ts'
import { startGithubTree, type GithubTree } from '../../../helpers/github/github-tree.ts'
import { waitFor } from '../../../helpers/wait-for.ts'
import { verifies } from '../../../requirements.ts'

/** What GitHub itself has against a merge is known before it is tried (20.2). */
describe('a pull request that GitHub would refuse to merge', () => {
  async function start() {
    let passed = 0
    const opened = await openGithubForge({ clock: () => Date.now() + passed })
    onTestFinished(() => opened.close())
    const { github, repository, forge } = opened
    github.addUser('ann', 'write')
    await repository.git('checkout', '-q', '-b', 'main.a', 'main')
    await repository.commit({ 'a.txt': 'a' })
    await repository.git('push', '-q', 'origin', 'main.a')
    const number = await github
      .as('robot')
      .open({ head: 'main.a', base: 'main', title: 'Work on a', body: 'Why' })
    const look = async (): Promise<PullRequestSnapshot> => {
      // Later than checks may be awaited that nothing announces.
      passed += 10 * 60_000
      return waitFor('what GitHub has worked out', async () => {
        const [result] = await forge.snapshots([number])
        if (result === undefined || !('snapshot' in result))
          throw new Error(`no snapshot: ${JSON.stringify(result)}`)
        return result.snapshot.mergeable !== 'unknown' && result.snapshot
      })
    }
    await look()
    return { ...opened, number, look }
  }
  const needs = (pull: PullRequestSnapshot) => (pull.blockers ?? []).map((blocker) => blocker.needs)
  const refusals = (pull: PullRequestSnapshot, force = false) =>
    mergeBlockers(pull, force).map(({ reason }) => reason)

  it(verifies('R004-10', '(20.2) is ready where nothing is asked for'), async () => {
    const { look } = await start()
    const pull = await look()
    expect(pull.blockers).toEqual([])
    expect(isReady(pull)).toBe(true)
  })

  it('(20.2) needs an approval that no agent can give, until a person gives it', async () => {
    const { github, number, look } = await start()
    github.state.repository.requiredReviews.set('main', 2)
    github.state.repository.otherRules.set('main', { codeOwners: true })
    const pull = await look()
    expect(needs(pull)).toEqual([
      '2 approvals on GitHub by code owners other than robot, whose account the agents use',
    ])
    expect(pull.blockers).toMatchObject([{ kind: 'review', person: true }])
    expect(isReady(pull)).toBe(false)
    expect(refusals(pull)).toEqual([
      'it needs 2 approvals on GitHub by code owners other than robot, whose account the agents use',
    ])
    expect(refusals(pull, true)).toEqual([])
    github.state.repository.requiredReviews.set('main', 1)
    await github.as('ann').review(number, { state: 'APPROVED', body: 'Fine' })
    expect(isReady(await look())).toBe(true)
  })

  it('(20.2) whose changes were requested on GitHub stays refused after a push, as GitHub has it', async () => {
    const { github, repository, number, look } = await start()
    github.state.repository.requiredReviews.set('main', 1)
    await github.as('ann').review(number, { state: 'CHANGES_REQUESTED', body: 'No' })
    await repository.git('checkout', '-q', 'main.a')
    await repository.commit({ 'a.txt': 'fixed' })
    await repository.git('push', '-q', 'origin', 'main.a')
    const pull = await look()
    expect(pull.reviewDecision).toBe('none')
    expect(needs(pull)).toEqual([
      'whoever requested changes on GitHub to approve it there, or that review to be dismissed',
    ])
    expect(isReady(pull)).toBe(false)
  })

  it('(20.2, 20.6) behind its base, where that is asked for, needs to be brought up to date', async () => {
    const { github, repository, look } = await start()
    github.state.repository.upToDate.add('main')
    expect(isReady(await look())).toBe(true)
    await repository.git('checkout', '-q', 'main')
    await repository.commit({ 'b.txt': 'b' })
    await repository.git('push', '-q', 'origin', 'main')
    const pull = await look()
    expect(pull.blockers).toEqual([
      { kind: 'behind', needs: 'to be brought up to date with main', person: false },
    ])
    expect(isReady(pull)).toBe(false)
  })

  it('(20.2) under a visible rule says which, and under one that is not, where to look', async () => {
    const { github, look } = await start()
    github.state.repository.otherRules.set('main', { signatures: true })
    expect(needs(await look())).toEqual(['all its commits to be signed'])
    github.state.repository.otherRules.set('main', { hidden: true })
    const pull = await look()
    expect(needs(pull)).toEqual([
      `what a rule for main asks for, which GitHub does not show this token: ${pull.url} says it`,
    ])
    expect(isReady(pull)).toBe(false)
    github.state.repository.otherRules.clear()
    expect(isReady(await look())).toBe(true)
  })

  it('(20.2) is not blocked by what is known of its checks already', async () => {
    const { github, look } = await start()
    github.state.repository.requiredChecks.set('main', ['build'])
    const pull = await look()
    expect(pull.blockers).toEqual([])
    expect(refusals(pull)).toEqual(['the required checks have not run'])
  })

  it('(20.19) needs its open conversations to be resolved, as many as there are, and none once they are', async () => {
    const { github, forge, number, look } = await start()
    github.state.repository.otherRules.set('main', { conversations: true })
    expect(isReady(await look())).toBe(true)
    await github.as('ann').review(number, {
      state: 'COMMENTED',
      body: 'Hm',
      comments: [1, 1, 1].map((line) => ({ path: 'a.txt', line, body: 'Here' })),
    })
    const found = await look()
    expect(needs(found)).toEqual([
      'its 3 open conversations to be resolved (pr_review with `replies`, or on GitHub)',
    ])
    expect(found.blockers).toMatchObject([{ kind: 'rule', person: false }])
    expect(isReady(found)).toBe(false)
    const merge = {
      number,
      expectedHead: found.head.sha,
      expectedBase: found.base.branch,
      strategy: 'merge',
      by: 'human',
      prepared: async () => {},
    } as const
    expect(await forge.merge(merge)).toEqual({
      kind: 'refused',
      reason: expect.stringContaining('All comments must be resolved'),
    })
    const [first, second, third] = found.reviews[0]!.comments
    await github.as('ann').resolve(Number(first!.id))
    await forge.reply({
      number,
      author: 'human',
      thread: second!.thread!,
      body: 'Done.',
      resolve: true,
    })
    expect(needs(await look())).toEqual([
      'its open conversation to be resolved (pr_review with `replies`, or on GitHub)',
    ])
    // Also beside what only a person can give.
    github.state.repository.requiredReviews.set('main', 1)
    expect(needs(await look())).toEqual([
      'an approval on GitHub by people with write access other than robot, whose account the agents use',
      'its open conversation to be resolved (pr_review with `replies`, or on GitHub)',
    ])
    github.state.repository.requiredReviews.clear()
    await forge.reply({ number, author: 'human', thread: third!.thread!, body: '', resolve: true })
    expect(isReady(await look())).toBe(true)
    expect(await forge.merge(merge)).toMatchObject({ kind: 'merged' })
  })

  it('(20.19) needs all its conversations to be resolved where GitHub does not say how many are open, and is read all the same', async () => {
    const { github, number, look } = await start()
    github.state.repository.otherRules.set('main', { conversations: true })
    await github.as('ann').review(number, {
      state: 'COMMENTED',
      body: 'Hm',
      comments: [{ path: 'a.txt', line: 1, body: 'Here' }],
    })
    github.fail(/Conversations/, { kind: 'status', status: 500 }, 10)
    const pull = await look()
    expect(pull.reviews).toMatchObject([{ body: 'Hm', comments: [{ body: 'Here' }] }])
    expect(pull.reviews[0]!.comments[0]!.thread).toBeUndefined()
    expect(needs(pull)).toEqual([
      'all its conversations to be resolved (pr_review with `replies`, or on GitHub)',
    ])
    github.heal()
    expect((await look()).reviews[0]!.comments[0]).toMatchObject({ resolved: false })
  })

  it('(20.19) says whom GitHub asked for the review that is missing, code owners by name, until they gave it', async () => {
    const { github, number, look } = await start()
    github.addUser('bob', 'write')
    expect((await look()).asked).toBeUndefined()
    github.state.repository.requiredReviews.set('main', 1)
    github.state.repository.otherRules.set('main', {
      codeOwners: true,
      owners: ['octo/core', 'ann'],
    })
    github.pull(number).requestedReviewers.push('bob')
    const pull = await look()
    expect(pull.asked).toEqual([
      { name: 'bob', codeOwner: false },
      { name: 'octo/core', codeOwner: true },
      { name: 'ann', codeOwner: true },
    ])
    expect(needs(pull)).toEqual([
      'an approval on GitHub by code owners (octo/core, ann) other than robot, whose account the agents use',
    ])
    github.fail(/Conversations/, { kind: 'status', status: 500 }, 10)
    expect(needs(await look())).toEqual([
      'an approval on GitHub by code owners other than robot, whose account the agents use',
    ])
    github.heal()
    await github.as('ann').review(number, { state: 'APPROVED', body: 'Fine' })
    const approved = await look()
    expect(approved.asked).toBeUndefined()
    expect(isReady(approved)).toBe(true)
  })
})

/** The whole way, with a daemon, its agents and their branches (20.2, 20.6). */
describe('a tree whose base asks for what no agent can give', () => {
  let world: GithubTree
  const tree = () => world.tree
  const github = () => world.github
  const commit = (name: string) => [
    { do: 'write', path: `${name}.txt`, content: 'x\n' },
    { do: 'commit', message: `Add ${name}` },
    { do: 'tool', name: 'file_pr', input: { title: `Work on ${name}`, body: 'Done' } },
  ]
  const filed = async (name: string): Promise<number> => {
    tree().script(name, { steps: commit(name) })
    await tree().call('spawn_workers', { specs: [{ name, prompt: 'x' }] })
    const [answer] = await waitFor(
      `filing of ${name}`,
      () => {
        const answers = tree()
          .log(name)
          .filter((entry) => entry['name'] === 'file_pr')
        return answers.length > 0 && answers
      },
      { limit: 60_000 },
    )
    return Number((answer?.['answer'] as { pr_number?: number } | undefined)?.pr_number)
  }
  const events = async (type: string, number: number): Promise<any[]> =>
    (await tree().events()).filter(
      (event) => event.type === type && event.payload.number === number,
    )

  beforeAll(async () => {
    world = await startGithubTree({
      files: { 'README.md': '# Widgets\n' },
      githubConfig: 'copilot_review = false',
    })
    github().addUser('ann', 'write')
  })
  afterAll(() => world?.stop())

  it('(20.2) says that it is blocked, and by what, and that it is ready once a person has approved', async () => {
    github().state.repository.requiredReviews.set('main', 1)
    const number = await filed('asked')
    const [blocked] = await waitFor(
      'word that it is blocked',
      async () => ((found) => found.length > 0 && found)(await events('pr.blocked', number)),
      {
        limit: 60_000,
      },
    )
    expect(blocked.payload).toMatchObject({
      person: true,
      behind: false,
      needs: [
        expect.stringMatching(
          /^an approval on GitHub by people with write access other than robot/,
        ),
      ],
    })
    expect(await events('pr.ready', number)).toEqual([])
    expect(await tree().refusal('merge_pr', { pr_number: number })).toMatchObject({
      code: 'PR_NOT_MERGEABLE',
      error: expect.stringContaining('it needs an approval on GitHub'),
    })
    await github().as('ann').review(number, { state: 'APPROVED', body: 'Fine' })
    await waitFor(
      'word that it is ready',
      async () => (await events('pr.ready', number)).length > 0,
      { limit: 60_000 },
    )
    github().state.repository.requiredReviews.clear()
  })

  it('(20.6) rebases what rests and was left behind by a merge, and wakes nobody for it', async () => {
    github().state.repository.upToDate.add('main')
    const [one, two] = [await filed('one'), await filed('two')]
    await waitFor(
      'both to be ready',
      async () =>
        (await events('pr.ready', one)).length > 0 && (await events('pr.ready', two)).length > 0,
      { limit: 60_000 },
    )
    await waitFor('two to rest', async () => (await tree().agent('two'))?.state === 'idle')
    const before = github().pull(two).headSha
    expect(await tree().call('merge_pr', { pr_number: one })).toMatchObject({ merged: true })
    await waitFor('it to be rebased', () => github().pull(two).headSha !== before, {
      limit: 60_000,
    })
    await waitFor(
      'word that it is ready again',
      async () => (await events('pr.ready', two)).length > 1,
      { limit: 60_000 },
    )
    const { repository } = tree()
    expect(
      await repository.git(
        'merge-base',
        '--is-ancestor',
        await repository.git('rev-parse', 'main'),
        'main.two',
      ),
    ).toBe('')
    expect(
      tree()
        .log('two')
        .filter((entry) => entry['kind'] === 'message'),
    ).toEqual([])
    expect(await tree().call('merge_pr', { pr_number: two })).toMatchObject({ merged: true })
  })
})
