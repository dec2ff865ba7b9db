import { describe, expect, it, onTestFinished } from 'vitest'
import type { PullRequestSnapshot } from '../../src/adapters/forge/forge.ts'
import { mergeObjections } from '../../src/core/merge-rules.ts'
import { isReady } from '../../src/events/pr-diff.ts'
import { openGithubForge } from '../helpers/github-forge.ts'
import { waitFor } from '../helpers/wait-for.ts'
import { verifies } from '../requirements.ts'

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
    const number = await github.as('robot').open({ head: 'main.a', base: 'main', title: 'Work on a', body: 'Why' })
    const look = async (): Promise<PullRequestSnapshot> => {
      // Later than checks may be awaited that nothing announces.
      passed += 10 * 60_000
      return waitFor('what GitHub has worked out', async () => {
        const [result] = await forge.snapshots([number])
        if (result === undefined || !('snapshot' in result)) throw new Error(`no snapshot: ${JSON.stringify(result)}`)
        return result.snapshot.mergeable !== 'unknown' && result.snapshot
      })
    }
    await look()
    return { ...opened, number, look }
  }
  const needs = (pull: PullRequestSnapshot) => (pull.blockers ?? []).map((blocker) => blocker.needs)
  const refusals = (pull: PullRequestSnapshot, force = false) => mergeObjections(pull, force).map(({ reason }) => reason)

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
    expect(needs(pull)).toEqual(['2 approvals on GitHub by code owners other than robot, whose account the agents use'])
    expect(pull.blockers).toMatchObject([{ kind: 'review', person: true }])
    expect(isReady(pull)).toBe(false)
    expect(refusals(pull)).toEqual(['it needs 2 approvals on GitHub by code owners other than robot, whose account the agents use'])
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
    await repository.commit({ 'a.txt': 'mended' })
    await repository.git('push', '-q', 'origin', 'main.a')
    const pull = await look()
    expect(pull.reviewDecision).toBe('none')
    expect(needs(pull)).toEqual(['whoever requested changes on GitHub to approve it there, or that review to be dismissed'])
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
    expect(pull.blockers).toEqual([{ kind: 'behind', needs: 'to be brought up to date with main', person: false }])
    expect(isReady(pull)).toBe(false)
  })

  it('(20.2) under a rule that is told says which, and under one that is not, where to look', async () => {
    const { github, look } = await start()
    github.state.repository.otherRules.set('main', { signatures: true })
    expect(needs(await look())).toEqual(['all its commits to be signed'])
    github.state.repository.otherRules.set('main', { hidden: true })
    const pull = await look()
    expect(needs(pull)).toEqual([`what a rule for main asks for, which GitHub does not tell this token: ${pull.url} says it`])
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
    await github.as('ann').review(number, { state: 'COMMENTED', body: 'Hm', comments: [1, 1, 1].map((line) => ({ path: 'a.txt', line, body: 'Here' })) })
    const found = await look()
    expect(needs(found)).toEqual(['its 3 open conversations to be resolved (pr_review with `replies`, or on GitHub)'])
    expect(found.blockers).toMatchObject([{ kind: 'rule', person: false }])
    expect(isReady(found)).toBe(false)
    const merge = { number, expectedHead: found.head.sha, strategy: 'merge', by: 'human', prepared: async () => {} } as const
    expect(await forge.merge(merge)).toEqual({ kind: 'refused', reason: expect.stringContaining('All comments must be resolved') })
    const [first, second, third] = found.reviews[0]!.comments
    await github.as('ann').resolve(Number(first!.id))
    await forge.reply({ number, author: 'human', thread: second!.thread!, body: 'Done.', resolve: true })
    expect(needs(await look())).toEqual(['its open conversation to be resolved (pr_review with `replies`, or on GitHub)'])
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

  it('(20.19) needs all its conversations to be resolved where GitHub does not tell how many are open, and is read all the same', async () => {
    const { github, number, look } = await start()
    github.state.repository.otherRules.set('main', { conversations: true })
    await github.as('ann').review(number, { state: 'COMMENTED', body: 'Hm', comments: [{ path: 'a.txt', line: 1, body: 'Here' }] })
    github.fail(/Conversations/, { kind: 'status', status: 500 }, 10)
    const pull = await look()
    expect(pull.reviews).toMatchObject([{ body: 'Hm', comments: [{ body: 'Here' }] }])
    expect(pull.reviews[0]!.comments[0]!.thread).toBeUndefined()
    expect(needs(pull)).toEqual(['all its conversations to be resolved (pr_review with `replies`, or on GitHub)'])
    github.heal()
    expect((await look()).reviews[0]!.comments[0]).toMatchObject({ resolved: false })
  })

  it('(20.19) says whom GitHub asked for the review that is missing, code owners by name, until they gave it', async () => {
    const { github, number, look } = await start()
    github.addUser('bob', 'write')
    expect((await look()).asked).toBeUndefined()
    github.state.repository.requiredReviews.set('main', 1)
    github.state.repository.otherRules.set('main', { codeOwners: true, owners: ['octo/core', 'ann'] })
    github.pull(number).requestedReviewers.push('bob')
    const pull = await look()
    expect(pull.asked).toEqual([
      { name: 'bob', codeOwner: false },
      { name: 'octo/core', codeOwner: true },
      { name: 'ann', codeOwner: true },
    ])
    expect(needs(pull)).toEqual(['an approval on GitHub by code owners (octo/core, ann) other than robot, whose account the agents use'])
    github.fail(/Conversations/, { kind: 'status', status: 500 }, 10)
    expect(needs(await look())).toEqual(['an approval on GitHub by code owners other than robot, whose account the agents use'])
    github.heal()
    await github.as('ann').review(number, { state: 'APPROVED', body: 'Fine' })
    const approved = await look()
    expect(approved.asked).toBeUndefined()
    expect(isReady(approved)).toBe(true)
  })
})
