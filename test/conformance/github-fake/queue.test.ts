import { createServer } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { githubExample, type Json } from '../../fixtures/github/webhooks/example.ts'
import { askGraphql, githubWithCommits } from '../../helpers/github/github-with-commits.ts'

/** The fake GitHub’s merge queues and auto-merge, as GitHub documents them (20.18). */

async function start() {
  const world = await githubWithCommits()
  onTestFinished(() => world.close())
  const { github } = world
  github.addUser('mona', 'write')
  github.state.repository.requiredChecks.set('main', ['build'])
  const sent: { event: string; payload: Json }[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      sent.push({
        event: String(request.headers['x-github-event']),
        payload: JSON.parse(Buffer.concat(chunks).toString()) as Json,
      })
      response.writeHead(204).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(
    () =>
      new Promise<void>((resolve) => (server.closeAllConnections(), server.close(() => resolve()))),
  )
  const address = server.address()
  github.addHook({
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`,
    secret: null,
  })

  const green = async (branch: string): Promise<number> => {
    const number = await world.open(branch)
    github.setCheck(github.pull(number).headSha, { name: 'build', conclusion: 'success' })
    return number
  }
  const group = (number: number) => github.state.queue.find(({ pull }) => pull === number)?.group
  /** A mutation of the token’s account. */
  const mutate = (name: string, input: string, id: number, token?: string) =>
    askGraphql(
      github,
      `mutation($id: ID!) { ${name}(input: { ${input} }) { clientMutationId } }`,
      { id: github.pull(id).nodeId },
      token,
    )
  const look = async (number: number) => {
    const query = `query($id: ID!) { node(id: $id) { ... on PullRequest { state isInMergeQueue isMergeQueueEnabled
      mergeQueueEntry { position state enqueuer { login } headCommit { oid statusCheckRollup { state } } }
      autoMergeRequest { enabledBy { login } mergeMethod }
      timelineItems(last: 5, itemTypes: [REMOVED_FROM_MERGE_QUEUE_EVENT, AUTO_MERGE_DISABLED_EVENT]) { nodes { __typename
        ... on RemovedFromMergeQueueEvent { reason actor { login } beforeCommit { oid } } ... on AutoMergeDisabledEvent { reason actor { login } } } } } } }`
    const { data, errors } = await askGraphql(github, query, { id: github.pull(number).nodeId })
    expect(errors).toEqual([])
    return data.node
  }
  return { ...world, github, sent, green, group, mutate, look }
}

describe('a merge queue', () => {
  it('builds each on the one before, and merges in order once the checks of each group pass (20.18)', async () => {
    const { github, sent, green, group, mutate, look } = await start()
    github.addMergeQueue('main')
    const [one, two] = [await green('one'), await green('two')]
    const { url, token, pull } = github
    const refused = await fetch(`${url}/api/v3/repos/octo/widgets/pulls/${one}/merge`, {
      method: 'PUT',
      headers: { authorization: `bearer ${token}` },
      body: '{}',
    })
    expect([refused.status, await refused.text()]).toEqual([
      405,
      expect.stringContaining('Changes must be made through the merge queue'),
    ])
    expect(
      (
        await mutate(
          'enqueuePullRequest',
          `pullRequestId: $id, expectedHeadOid: "${'a'.repeat(40)}"`,
          one,
        )
      ).errors,
    ).toMatchObject([
      { type: 'UNPROCESSABLE', message: expect.stringContaining('Head branch was modified') },
    ])
    for (const number of [one, two])
      expect((await mutate('enqueuePullRequest', 'pullRequestId: $id', number)).errors).toEqual([])
    expect((await mutate('enqueuePullRequest', 'pullRequestId: $id', one)).errors).toMatchObject([
      { message: expect.stringContaining('already in the merge queue') },
    ])
    await github.settled()
    expect(group(two)?.onto).toBe(group(one)?.sha)
    expect(group(one)?.ref).toMatch(new RegExp(`^gh-readonly-queue/main/pr-${one}-[0-9a-f]{40}$`))
    expect(await look(two)).toMatchObject({
      isInMergeQueue: true,
      isMergeQueueEnabled: true,
      mergeQueueEntry: {
        position: 2,
        state: 'AWAITING_CHECKS',
        enqueuer: { login: 'robot' },
        headCommit: { oid: group(two)?.sha, statusCheckRollup: null },
      },
    })
    // What stands behind waits for what is before it.
    github.setCheck(group(two)!.sha, { name: 'build', conclusion: 'success' })
    await github.settled()
    expect(pull(two).merged).toBe(false)
    const [first, second] = [group(one)!.sha, group(two)!.sha]
    github.setCheck(first, { name: 'build', conclusion: 'success' })
    await github.settled()
    expect([pull(one), pull(two)]).toMatchObject([
      { merged: true, mergedBy: 'github-merge-queue[bot]', mergeCommitSha: first },
      { merged: true, mergeCommitSha: second },
    ])
    expect(await look(two)).toMatchObject({
      state: 'MERGED',
      isInMergeQueue: false,
      mergeQueueEntry: null,
    })
    const requested = sent.find(({ event }) => event === 'merge_group')!.payload
    const example = githubExample({ event: 'merge_group', action: 'checks_requested' })
    expect(Object.keys(requested)).toEqual(expect.arrayContaining(Object.keys(example)))
    expect(Object.keys(requested['merge_group'] as Json)).toEqual(
      expect.arrayContaining(Object.keys(example['merge_group'] as Json)),
    )
    expect(requested).toMatchObject({
      merge_group: { head_sha: first, base_ref: 'refs/heads/main' },
    })
    const actions = sent
      .filter(({ event }) => event === 'pull_request')
      .map(({ payload }) => payload['action'])
    expect(actions.slice(-6)).toEqual([
      'enqueued',
      'enqueued',
      'dequeued',
      'closed',
      'dequeued',
      'closed',
    ])
  })

  it('removes with a reason what fails, is pushed to or taken out, and builds anew what stood behind it (20.18)', async () => {
    const { github, sent, commit, green, group, look } = await start()
    github.addMergeQueue('main', { method: 'squash' })
    const numbers = [
      await green('one'),
      await green('two'),
      await green('three'),
      await green('four'),
    ] as const
    const [one, two, three, four] = numbers
    for (const number of numbers) await github.as('mona').enqueue(number)
    await github.settled()
    const before = group(four)!.sha
    const failed = group(one)!.sha
    github.setCheck(failed, { name: 'build', conclusion: 'failure' })
    await commit('two', { 'two.txt': 'more\n' })
    await github.as('mona').dequeue(three)
    await github.settled()
    expect(github.state.queue.map(({ pull }) => pull)).toEqual([four])
    expect(group(four)!.sha).not.toBe(before)
    const reasons = await Promise.all(
      [one, two, three].map(async (number) => (await look(number)).timelineItems.nodes),
    )
    expect(reasons).toMatchObject([
      [
        {
          __typename: 'RemovedFromMergeQueueEvent',
          reason: 'CI_FAILURE',
          actor: { login: 'github-merge-queue' },
          beforeCommit: { oid: failed },
        },
      ],
      [{ reason: 'UNKNOWN_REMOVAL_REASON' }],
      [{ reason: 'MANUAL', actor: { login: 'mona' } }],
    ])
    expect(
      sent
        .filter(({ payload }) => payload['action'] === 'dequeued')
        .map(({ payload }) => payload['reason'])
        .sort(),
    ).toEqual(['CI_FAILURE', 'MANUAL', 'UNKNOWN_REMOVAL_REASON'])
  })

  it('removes what conflicts with what is before it (20.18)', async () => {
    const { github, commit, look } = await start()
    github.addMergeQueue('main')
    const open = async (branch: string): Promise<number> => {
      const head = await commit(branch, { 'same.txt': `${branch}\n` })
      github.setCheck(head, { name: 'build', conclusion: 'success' })
      return github.as('robot').open({ head: branch, base: 'main', title: branch })
    }
    const [one, two] = [await open('one'), await open('two')]
    for (const number of [one, two]) await github.as('mona').enqueue(number)
    await github.settled()
    expect((await look(two)).timelineItems.nodes).toMatchObject([{ reason: 'MERGE_CONFLICT' }])
    expect((await look(one)).isInMergeQueue).toBe(true)
  })
})

describe('auto-merge', () => {
  it('merges in the name of whoever asked once the requirements are met, and is refused where it is not allowed or not needed (20.18)', async () => {
    const { github, mutate, look, open, sent } = await start()
    const number = await open('one')
    const arm = () =>
      mutate('enablePullRequestAutoMerge', 'pullRequestId: $id, mergeMethod: SQUASH', number)
    expect((await arm()).errors).toMatchObject([
      {
        type: 'UNPROCESSABLE',
        message: 'Pull request Auto merge is not allowed for this repository',
      },
    ])
    github.state.repository.allowAutoMerge = true
    github.state.repository.requiredChecks.clear()
    expect((await arm()).errors).toMatchObject([{ message: 'Pull request is in clean status' }])
    github.state.repository.requiredChecks.set('main', ['build'])
    expect((await arm()).errors).toEqual([])
    expect(await look(number)).toMatchObject({
      autoMergeRequest: { enabledBy: { login: 'robot' }, mergeMethod: 'SQUASH' },
    })
    const answer = await fetch(`${github.apiUrl}/repos/octo/widgets/pulls/${number}`, {
      headers: { authorization: `bearer ${github.token}` },
    })
    expect(await answer.json()).toMatchObject({
      auto_merge: { merge_method: 'squash', enabled_by: { login: 'robot' } },
    })
    github.setCheck(github.pull(number).headSha, { name: 'build', conclusion: 'success' })
    await github.settled()
    expect(github.pull(number)).toMatchObject({ merged: true, mergedBy: 'robot', autoMerge: null })
    expect(sent.map(({ payload }) => payload['action'])).toContain('auto_merge_enabled')
  })

  it('is disabled by a push of somebody without write access, by another base and by a person, and not by a push of the others (20.18)', async () => {
    const { github, repository, commit, look, open, sent } = await start()
    github.state.repository.allowAutoMerge = true
    github.addUser('stranger', 'read')
    await commit('other', { 'x.txt': 'x\n' })
    const numbers = [await open('one'), await open('two'), await open('three')] as const
    for (const number of numbers) await github.as('mona').enableAutoMerge(number)
    await commit('one', { 'one.txt': 'by one who may\n' })
    expect(github.pull(numbers[0]).autoMerge).not.toBeNull()
    await repository.git('checkout', '-q', 'one')
    await repository.commit({ 'one.txt': 'by one who may not\n' })
    const sha = await repository.git('rev-parse', 'one')
    await repository.git('push', '-q', github.bare, `${sha}:refs/heads/one`)
    await github.push('one', sha, { by: 'stranger' })
    await github.as('mona').retarget(numbers[1], 'other')
    await github.as('mona').disableAutoMerge(numbers[2])
    for (const number of numbers)
      expect(await look(number)).toMatchObject({
        autoMergeRequest: null,
        timelineItems: { nodes: [{ __typename: 'AutoMergeDisabledEvent' }] },
      })
    await github.settled()
    expect(sent.filter(({ payload }) => payload['action'] === 'auto_merge_disabled')).toHaveLength(
      3,
    )
  })

  it('puts it into the queue where its base has one (20.18)', async () => {
    const { github, open } = await start()
    github.state.repository.allowAutoMerge = true
    github.addMergeQueue('main')
    const number = await open('one')
    await github.as('mona').enableAutoMerge(number)
    expect(github.state.queue).toEqual([])
    github.setCheck(github.pull(number).headSha, { name: 'build', conclusion: 'success' })
    await github.settled()
    expect(github.state.queue).toMatchObject([{ pull: number, by: 'mona' }])
    expect(github.pull(number).autoMerge).toBeNull()
  })
})
