import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { crashAt } from '../../../helpers/crash-at.ts'
import { startGithubTree, type GithubTree } from '../../../helpers/github/github-tree.ts'
import { waitFor } from '../../../helpers/wait-for.ts'

/** Where a merge queue merges: enqueued, followed to the end, and reported (20.18). */

const LIMIT = 60_000

describe('a base with a merge queue', { timeout: 240_000 }, () => {
  let world: GithubTree
  const tree = () => world.tree
  const github = () => world.github
  const filing = (name: string) => [
    { do: 'write', path: `${name}.txt`, content: 'x\n' },
    { do: 'commit', message: `Add ${name}` },
    { do: 'tool', name: 'file_pr', input: { title: `Work on ${name}`, body: 'Done' } },
  ]
  const events = async (type: string, number: number): Promise<any[]> =>
    (await tree().events()).filter(
      (event) => event.type === type && event.payload.number === number,
    )
  const event = async (type: string, number: number): Promise<any> =>
    waitFor(
      `${type} of #${number}`,
      async () => ((found) => found.length > 0 && found)(await events(type, number)),
      { limit: LIMIT },
    )
  const green = (number: number) =>
    github().setCheck(github().pull(number).headSha, { name: 'build', conclusion: 'success' })
  /** Of a worker with that name: filed, checked and reported as ready. */
  const ready = async (name: string, from = 'root', more: object[] = []): Promise<number> => {
    tree().script(name, { steps: [...filing(name), ...more] })
    await tree().call('spawn_workers', { specs: [{ name, prompt: 'x' }] }, { as: from })
    const number = await waitFor(
      `filing of ${name}`,
      () =>
        tree()
          .log(name)
          .find((entry) => entry['name'] === 'file_pr')?.['answer']?.pr_number as
          | number
          | undefined,
      { limit: LIMIT },
    )
    green(number)
    await event('pr.ready', number)
    return number
  }
  const group = (number: number) =>
    waitFor(
      `the group of #${number}`,
      () => github().state.queue.find(({ pull }) => pull === number)?.group?.sha,
      { limit: LIMIT },
    )
  const merge = (number: number, more: object = {}) =>
    tree().call('merge_pr', { pr_number: number, ...more })
  const shown = (number: number) => tree().call('pr_show', { pr_number: number })

  beforeAll(async () => {
    world = await startGithubTree({
      files: { 'README.md': '# Widgets\n' },
      githubConfig: 'copilot_review = false\ndelete_branch = true',
    })
    github().addUser('ann', 'write')
    github().state.repository.requiredChecks.set('main', ['build'])
    github().addMergeQueue('main', { method: 'squash' })
  })
  afterAll(() => world?.stop())

  it('enqueues with the head that was looked at, shows the place, and follows it to the end (20.18)', async () => {
    const [one, two] = [await ready('one'), await ready('two')]
    const answer = await merge(one, { strategy: 'squash' })
    expect(answer).toMatchObject({ merged: false, state: 'queued', position: 1, sha: null })
    expect(answer.next).toMatch(
      /^#\d+ is in the merge queue of main, at position 1\. GitHub checks it there/,
    )
    expect(await merge(two)).toMatchObject({ state: 'queued', position: 2 })
    // A second time the same is said, and nothing done.
    expect(await merge(two)).toMatchObject({
      state: 'queued',
      position: 2,
      next: expect.stringContaining('is already in the merge queue of main'),
    })
    expect(github().state.queue.map(({ pull, by }) => [pull, by])).toEqual([
      [one, 'robot'],
      [two, 'robot'],
    ])
    await event('pr.scheduled', two)
    const list = await tree().command(['pr', 'list'])
    expect(list.stdout).toContain('queued (position 2)')
    expect((await tree().command(['tree'])).stdout).toContain('queued (position 2)')
    github().setCheck(await group(two), { name: 'build', conclusion: null })
    await waitFor(
      'its checks in the queue to be shown',
      async () => (await shown(two)).queue_checks.length > 0,
      { limit: LIMIT },
    )
    expect(await shown(two)).toMatchObject({
      scheduled: { how: 'queue', position: 2, checks: 'pending', by: 'robot' },
      queue_checks: [{ name: 'build', status: 'running', required: true }],
      check_runs: [{ name: 'build', status: 'passed' }],
    })
    expect((await tree().command(['pr', 'show', String(two)])).stdout).toMatch(
      /merge +position 2 in the merge queue of main, put there by robot; checks there: pending/,
    )
    const [first, second] = [await group(one), await group(two)]
    for (const sha of [first, second])
      github().setCheck(sha, { name: 'build', conclusion: 'success' })
    const [merged] = await event('pr.merged', two)
    expect(merged.payload).toMatchObject({
      external: false,
      by: 'human',
      scheduled: true,
      local_error: null,
      sha: second,
    })
    expect(await tree().repository.git('rev-parse', 'main')).toBe(second)
    await waitFor('its branch to be deleted', async () => (await world.tip('main.two')) === '', {
      limit: LIMIT,
    })
    expect((await tree().call('tree')).unfinished).toEqual([])
    expect(await events('pr.unscheduled', two)).toEqual([])
    expect(await events('pr.ready', two)).toHaveLength(1)
  })

  it('says which way the queue merges, and refuses another one (20.18)', async () => {
    const number = await ready('ways')
    expect(
      await tree().refusal('merge_pr', { pr_number: number, strategy: 'rebase' }),
    ).toMatchObject({
      code: 'PR_NOT_MERGEABLE',
      error: expect.stringContaining(
        'the merge queue of main merges by squash. Merge it by squash',
      ),
    })
  })

  it('removed for checks that failed there: owner and parent are notified why, with the end of the log, and once (20.18)', async () => {
    const number = await ready('red')
    expect(await merge(number)).toMatchObject({ state: 'queued' })
    await event('pr.scheduled', number)
    github().setCheck(await group(number), {
      name: 'build',
      conclusion: 'failure',
      log: 'It broke together with main.\n',
    })
    // What else is filed meanwhile is reported as ever.
    await ready('beside')
    const [left] = await event('pr.unscheduled', number)
    expect(left.payload).toMatchObject({
      kind: 'queue',
      reason: 'a check that its base requires failed in the queue',
      jobs: [{ name: 'build' }],
    })
    expect(left.payload.jobs[0].log).toContain('It broke together with main.')
    const message = await waitFor(
      'word of it to its agent',
      () =>
        tree()
          .log('red')
          .find(
            (entry) =>
              entry['kind'] === 'message' && String(entry['text']).includes('[LEFT QUEUE]'),
          ),
      { limit: LIMIT },
    )
    expect(message['text']).toContain('find the cause, fix it, commit and push with file_pr')
    expect((await shown(number)).scheduled).toBeNull()
    expect((await tree().call('tree')).unfinished).toEqual([])
    expect(await events('pr.ready', number)).toHaveLength(1)
    await tree().command(['daemon', 'stop'])
    await tree().command(['daemon', 'start'])
    await waitFor('a look after the restart', async () => (await shown(number)).state === 'open', {
      limit: LIMIT,
    })
    expect(await events('pr.unscheduled', number)).toHaveLength(1)
    // It can be asked for again.
    expect(await merge(number)).toMatchObject({ state: 'queued' })
    await github().as('ann').dequeue(number)
    await waitFor(
      'the second removal',
      async () => (await events('pr.unscheduled', number)).length === 2,
      { limit: LIMIT },
    )
    expect((await events('pr.unscheduled', number)).at(-1).payload).toMatchObject({
      reason: 'ann took it out',
      jobs: [],
    })
  })

  it('removed by a push to it: said so, and what was pushed has to be looked at anew (20.18)', async () => {
    const number = await ready('pushed')
    await merge(number)
    await event('pr.scheduled', number)
    const { repository } = tree()
    const head = github().pull(number).headSha
    const tree1 = await repository.git('rev-parse', `${head}^{tree}`)
    const commit = await repository.git('commit-tree', tree1, '-p', head, '-m', 'One more')
    // Not as the branch: the next request of anybody would be taken for the push.
    await repository.git('push', '-q', github().bare, `${commit}:refs/objects/${commit}`)
    await github().push('main.pushed', commit, { by: 'ann' })
    const [left] = await event('pr.unscheduled', number)
    expect(left.payload).toMatchObject({
      kind: 'queue',
      reason: 'new commits were pushed to it, which nobody has looked at',
    })
    green(number)
    await waitFor(
      'word that it is ready again',
      async () => (await events('pr.ready', number)).length === 2,
      { limit: LIMIT },
    )
    expect(await tree().refusal('merge_pr', { pr_number: number, head_sha: head })).toMatchObject({
      code: 'HEAD_CHANGED',
    })
  })

  it('an answer that was lost is not asked for a second time (20.18)', async () => {
    const number = await ready('lost')
    github().fail(/mutation Enqueue/, { kind: 'drop', after: true })
    expect(await merge(number)).toMatchObject({ state: 'queued' })
    expect(github().state.queue.filter(({ pull }) => pull === number)).toHaveLength(1)
    github().heal()
    await github().as('ann').dequeue(number)
    await event('pr.unscheduled', number)
  })

  it('what an agent asked for is reported to it when it is merged, and what is based on it goes along (20.18)', async () => {
    tree().script('lead', { steps: filing('lead') })
    await tree().call('spawn_subtree', { task: 'x', branch_name: 'lead' })
    const lead = await waitFor(
      'filing of lead',
      () =>
        tree()
          .log('lead')
          .find((entry) => entry['name'] === 'file_pr')?.['answer']?.pr_number as number,
      { limit: LIMIT },
    )
    tree().script('leaf', { steps: filing('leaf') })
    await tree().call('spawn_workers', { specs: [{ name: 'leaf', prompt: 'x' }] }, { as: 'lead' })
    const leaf = await waitFor(
      'filing of leaf',
      () =>
        tree()
          .log('leaf')
          .find((entry) => entry['name'] === 'file_pr')?.['answer']?.pr_number as number,
      { limit: LIMIT },
    )
    green(lead)
    await event('pr.ready', lead)
    await tree().call('merge_pr', { pr_number: lead }, { as: 'root' })
    // Until it is merged nothing is pointed elsewhere.
    expect(github().pull(leaf).baseRef).toBe('main.lead')
    github().setCheck(await group(lead), { name: 'build', conclusion: 'success' })
    const [merged] = await event('pr.merged', lead)
    expect(merged.payload).toMatchObject({ external: false, scheduled: true })
    await waitFor('what is based on it to go along', () => github().pull(leaf).baseRef === 'main', {
      limit: LIMIT,
    })
    expect(github().pull(leaf).state).toBe('open')
    expect((await tree().agent('leaf'))?.base_branch).toBe('main')
  })

  it.each(['merge', 'scheduled', 'record'])(
    'kill -9 of the daemon at the step %s: it is followed to its end, and credited (20.18)',
    async (step) => {
      const number = await ready(`killed-${step}`)
      const { dead } = await crashAt(tree(), 'merge', step)
      const call = tree().command(['call', 'merge_pr', '-'], {
        input: JSON.stringify({ pr_number: number }),
      })
      if (step === 'record') {
        await call
        github().setCheck(await group(number), { name: 'build', conclusion: 'success' })
      }
      await dead
      await call
      // Before GitHub was asked nothing has happened, and it is asked again.
      if (step === 'merge')
        expect(github().state.queue.map(({ pull }) => pull)).not.toContain(number)
      // Merged while nobody looks.
      if (step === 'scheduled') {
        github().setCheck(await group(number), { name: 'build', conclusion: 'success' })
        await github().settled()
        expect(github().pull(number).merged).toBe(true)
      }
      await tree().command(['daemon', 'start'])
      if (step === 'merge') {
        await waitFor(
          'it to be taken back',
          async () => (await tree().call('tree')).unfinished.length === 0,
          { limit: LIMIT },
        )
        expect(await merge(number)).toMatchObject({ state: 'queued' })
      }
      if (step === 'merge')
        github().setCheck(await group(number), { name: 'build', conclusion: 'success' })
      const [merged] = await event('pr.merged', number)
      expect(merged.payload).toMatchObject({ external: false, by: 'human', tried_by: [] })
      await waitFor(
        'nothing to be left of it',
        async () => (await tree().call('tree')).unfinished.length === 0,
        { limit: LIMIT },
      )
      expect(await tree().repository.git('rev-parse', 'main')).toBe(
        github().pull(number).mergeCommitSha,
      )
      expect(await events('pr.merged', number)).toHaveLength(1)
    },
  )

  it('merged by a person past the queue: that is who is reported to have merged (20.18)', async () => {
    const number = await ready('past')
    await merge(number)
    await event('pr.scheduled', number)
    await github().as('octo').merge(number, 'squash')
    const [merged] = await event('pr.merged', number)
    expect(merged.payload).toMatchObject({ external: true, by: 'forge:octo', tried_by: ['human'] })
    expect(await tree().repository.git('rev-parse', 'main')).toBe(
      github().pull(number).mergeCommitSha,
    )
    expect((await tree().call('tree')).unfinished).toEqual([])
  })
})
