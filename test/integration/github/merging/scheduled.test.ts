import { describe, expect, it, onTestFinished } from 'vitest'
import type { PullRequestSnapshot } from '../../../../src/adapters/forge/forge.ts'
import type { BranchName, Sha } from '../../../../src/domain/ids.ts'
import { openGithubForge } from '../../../helpers/github/github-forge.ts'
import { waitFor } from '../../../helpers/wait-for.ts'

/** The GitHub forge’s own side of merge queues and auto-merge, on the fake (20.18). */

async function start({ queue = true, pulls = 1 } = {}) {
  let passed = 0
  const opened = await openGithubForge({ clock: () => Date.now() + passed })
  onTestFinished(() => opened.close())
  const { github, repository, forge } = opened
  github.addUser('ann', 'write')
  github.state.repository.requiredChecks.set('main', ['build'])
  github.state.repository.allowAutoMerge = true
  if (queue) github.addMergeQueue('main')
  const open = async (branch: string): Promise<number> => {
    await repository.git('checkout', '-q', '-b', branch, 'main')
    const head = await repository.commit({ [`${branch}.txt`]: 'x' })
    await repository.git('push', '-q', 'origin', branch)
    github.setCheck(head, { name: 'build', conclusion: 'success' })
    return github.as('robot').open({ head: branch, base: 'main', title: `Work on ${branch}` })
  }
  const numbers: number[] = []
  for (let index = 0; index < pulls; index++) numbers.push(await open(`main.p${index}`))
  const number = numbers[0]!
  /** Of all at once; later than any checks may be awaited. */
  const lookAtAll = async (): Promise<Map<number, PullRequestSnapshot>> => {
    passed += 60_000
    const results = await forge.snapshots(numbers)
    return new Map(
      results.map((result) =>
        'snapshot' in result
          ? [result.number, result.snapshot]
          : [result.number, undefined as never],
      ),
    )
  }
  const look = async (one = number): Promise<PullRequestSnapshot> => (await lookAtAll()).get(one)!
  await waitFor('mergeability', async () =>
    [...(await lookAtAll()).values()].every((pull) => pull.mergeable === 'mergeable'),
  )
  const group = async (one = number): Promise<string> => {
    await github.settled()
    return github.state.queue.find(({ pull }) => pull === one)!.group!.sha
  }
  const merge = (options: { way?: 'now' | 'queue' | 'auto'; expectedHead?: string } = {}) =>
    forge.merge({
      number,
      expectedHead: (options.expectedHead ?? github.pull(number).headSha) as Sha,
      expectedBase: 'main' as BranchName,
      strategy: 'merge',
      by: 'human',
      prepared: async () => {},
      ...(options.way === undefined ? {} : { way: options.way }),
    })
  return { ...opened, github, forge, number, numbers, look, lookAtAll, group, merge }
}
const settle = { prepared: null, by: 'human' } as const

describe('reading', () => {
  it('reports the place, the checks there, built anew or not, and nothing that stands against it meanwhile (20.18)', async () => {
    const { github, repository, look, group, numbers } = await start({ pulls: 2 })
    const [one, two] = [numbers[0]!, numbers[1]!]
    for (const number of [one, two]) await github.as('ann').enqueue(number)
    await github.settled()
    // Nothing has run yet of what has to.
    const expected = {
      checks: [
        { name: 'build', status: 'queued', required: true, logTail: 'not reported to GitHub yet' },
      ],
      checksState: 'none',
    }
    expect((await look(two)).scheduled).toMatchObject({
      kind: 'queue',
      position: 2,
      state: 'checking',
      by: 'forge:ann',
      ...expected,
    })
    const first = await group(two)
    github.setCheck(first, { name: 'build', conclusion: 'success' })
    expect((await look(two)).scheduled).toMatchObject({
      checks: [{ name: 'build', status: 'passed', required: true }],
      checksState: 'passed',
    })
    // Its base moves on without it, and asks for what the queue sees to.
    github.state.repository.upToDate.add('main')
    await repository.git('checkout', '-q', 'main')
    const moved = await repository.commit({ 'b.txt': 'b' })
    await repository.git('push', '-q', github.bare, 'main')
    await github.push('main', moved)
    const behind = await waitFor('its mergeability', async () =>
      ((pull) => pull.mergeable === 'mergeable' && pull)(await look(two)),
    )
    expect(behind.blockers).toEqual([])
    await github.as('ann').dequeue(one)
    expect(await group(two)).not.toBe(first)
    expect((await look(two)).scheduled).toMatchObject({ position: 1, ...expected })
  })

  it('sees checks of the queue that end, and begin, where only what changed is read in full (20.18)', async () => {
    const { github, lookAtAll, group, number, numbers } = await start({ pulls: 7 })
    await github.as('ann').enqueue(number)
    github.setCheck(await group(), { name: 'build', conclusion: null })
    expect((await lookAtAll()).get(number)?.scheduled).toMatchObject({
      position: 1,
      checksState: 'pending',
    })
    // Read a while ago, so that nothing of it is blurred any more.
    for (let looks = 0; looks < 2; looks++) await lookAtAll()
    github.setCheck(github.state.queue[0]!.group!.sha, { name: 'other', conclusion: 'failure' })
    expect((await lookAtAll()).get(number)?.scheduled).toMatchObject({
      checks: [{ name: 'build' }, { name: 'other', status: 'failed' }],
    })
    expect(
      [...(await lookAtAll()).values()].filter(({ scheduled }) => scheduled !== undefined),
    ).toHaveLength(1)
    expect(numbers).toHaveLength(7)
  })

  it('does without them where they can’t be read: all else stands (20.18)', async () => {
    const { github, look, group } = await start()
    await github.as('ann').enqueue(github.state.pulls.values().next().value!.number)
    github.setCheck(await group(), { name: 'build', conclusion: null })
    github.fail(/QueueChecks/, { kind: 'status', status: 500 }, 20)
    expect((await look()).scheduled).toMatchObject({
      kind: 'queue',
      checks: null,
      checksState: 'unknown',
    })
    github.heal()
    github.state.server = {
      version: '3.10.2',
      lacks: [
        'PullRequest.mergeQueueEntry',
        'PullRequest.autoMergeRequest',
        'Repository.mergeQueue',
      ],
    }
    const pull = await look()
    expect(pull).toMatchObject({ state: 'open', checksState: 'passed' })
    expect(pull.scheduled).toBeUndefined()
  })
})

describe('writing', () => {
  it('knows a queue by what GitHub says where nothing else reported it, and one that it stands in already (20.18)', async () => {
    const { github, forge, merge, number } = await start()
    expect(await forge.mergeWays('main' as BranchName)).toEqual({
      allowed: ['merge'],
      why: 'the merge queue of main merges by merge',
      queue: true,
    })
    expect(await forge.mergeWays('main.p0' as BranchName)).toEqual({
      allowed: ['merge', 'squash', 'rebase'],
      why: null,
    })
    github.addRuleset({ include: ['refs/heads/release'], rules: [{ type: 'merge_queue' }] })
    expect((await forge.mergeWays('release' as BranchName)).queue).toBe(true)
    expect(await merge()).toMatchObject({
      kind: 'scheduled',
      how: 'queue',
      position: 1,
      since: expect.any(Number),
    })
    expect(await merge({ way: 'queue' })).toMatchObject({
      kind: 'scheduled',
      how: 'queue',
      position: 1,
    })
    expect(github.state.queue).toHaveLength(1)
    expect(await forge.settleMerge({ number, ...settle })).toMatchObject({
      kind: 'scheduled',
      how: 'queue',
    })
    await forge.scheduled!.cancel(number)
    expect(github.state.queue).toEqual([])
    await forge.scheduled!.cancel(number)
    expect(await forge.scheduled!.cancelled(number, 'queue')).toMatchObject({
      kind: 'queue',
      reason: 'robot took it out',
      failed: [],
    })
    expect(await forge.scheduled!.cancelled(number, 'auto')).toBeNull()
    expect(await forge.settleMerge({ number, ...settle })).toEqual({ kind: 'not_merged' })
  })

  it('enqueues no other head than the one that was looked at, and no draft (20.18)', async () => {
    const { github, merge, number } = await start()
    expect(await merge({ way: 'queue', expectedHead: 'a'.repeat(40) })).toEqual({
      kind: 'head_changed',
      head: github.pull(number).headSha,
    })
    github.pull(number).draft = true
    expect(await merge({ way: 'queue' })).toEqual({
      kind: 'refused',
      reason: expect.stringContaining('not in the correct state'),
    })
    expect(github.state.queue).toEqual([])
  })

  it('takes what somebody else has asked GitHub for as theirs (20.18)', async () => {
    const { github, forge, number } = await start({ queue: false })
    github.state.repository.requiredChecks.set('main', ['build', 'more'])
    await github.as('ann').enableAutoMerge(number)
    expect(await forge.settleMerge({ number, ...settle })).toEqual({ kind: 'not_merged' })
  })

  it('arms auto-merge, takes it back, and says where GitHub has nothing to wait for (20.18)', async () => {
    const { github, forge, merge, number, look } = await start({ queue: false })
    expect(await merge({ way: 'auto' })).toEqual({ kind: 'ready' })
    github.state.repository.requiredChecks.set('main', ['build', 'more'])
    expect(await merge({ way: 'auto' })).toMatchObject({
      kind: 'scheduled',
      how: 'auto',
      position: null,
    })
    expect((await look()).scheduled).toMatchObject({ kind: 'auto', by: 'forge:robot' })
    await forge.scheduled!.cancel(number)
    expect(github.pull(number).autoMerge).toBeNull()
    expect(await forge.scheduled!.cancelled(number, 'auto')).toMatchObject({
      kind: 'auto',
      reason: 'Auto-merge was disabled manually (robot)',
    })
  })
})
