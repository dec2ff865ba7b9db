import fc from 'fast-check'
import { getVariableValues, parse } from 'graphql'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { costOf } from '../../fixtures/github/graphql/cost.ts'
import { githubSchema } from '../../fixtures/github/graphql/schema.ts'
import {
  askGraphql,
  githubWithCommits,
  type GithubWithCommits,
  type GraphqlReply,
} from '../../helpers/github/github-with-commits.ts'

/**
 * The fake GitHub’s GraphQL against what GitHub documents: its schema, its pages, its price list
 * and its errors.
 */

const ONE =
  'query One($number: Int!) { repository(owner: "octo", name: "widgets") { pullRequest(number: $number) { id ...Asked } } }'
const asking = (fields: string): string => `${ONE} fragment Asked on PullRequest { ${fields} }`

let world: GithubWithCommits
beforeAll(async () => {
  world = await githubWithCommits()
  world.github.addUser('mona', 'write')
  world.github.addUser('stranger', 'none')
})
afterAll(() => world.close())

const ask = (
  query: string,
  variables?: Readonly<Record<string, unknown>>,
  token?: string,
): Promise<GraphqlReply> => askGraphql(world.github, query, variables, token)
// oxlint-disable-next-line typescript/no-explicit-any -- what REST answers is looked at field by field
type Json = any
const idOf = (number: number): string => world.github.pull(number).nodeId

describe('what a pull request is', () => {
  it('has its ends, people, words and checks', async () => {
    const { github } = world
    const number = await world.open('everything')
    const head = github.pull(number).headSha
    await github.as('mona').review(number, {
      state: 'CHANGES_REQUESTED',
      body: 'Not yet.',
      comments: [{ path: 'everything.txt', line: 1, body: 'Why?' }],
    })
    await github.as('stranger').comment(number, 'Nice!')
    github.state.repository.requiredChecks.set('main', ['build'])
    onTestFinished(() => void github.state.repository.requiredChecks.delete('main'))
    github.setCheck(head, { name: 'build', conclusion: 'failure', log: 'It broke.' })
    github.setStatus(head, {
      context: 'ci/old',
      state: 'success',
      targetUrl: 'https://ci.example.com/1',
    })
    const { data, errors } = await ask(
      asking(`title body state isDraft headRefName headRefOid isCrossRepository baseRefName baseRef { target { oid } refUpdateRule { requiredStatusCheckContexts } }
        author { login __typename } viewerDidAuthor changedFiles files(first: 5) { nodes { path additions } }
        reviews(first: 5) { totalCount nodes { state body author { login } authorAssociation commit { oid } comments(first: 5) { nodes { path line body } } } }
        reviewThreads(first: 5) { nodes { isOutdated comments(first: 5) { nodes { body } } } }
        comments(first: 5) { nodes { body authorAssociation } }
        commits(last: 1) { nodes { commit { oid messageHeadline statusCheckRollup { state contexts(first: 5) { checkRunCount nodes {
          __typename
          ... on CheckRun { name status conclusion isRequired(pullRequestNumber: $number) checkSuite { app { slug } workflowRun { workflow { databaseId name } } } }
          ... on StatusContext { context state targetUrl isRequired(pullRequestNumber: $number) }
        } } } } } }`),
      { number },
    )
    expect(errors).toEqual([])
    expect(data.repository.pullRequest).toEqual({
      id: idOf(number),
      title: 'Add everything',
      body: 'What everything is for.',
      state: 'OPEN',
      isDraft: false,
      headRefName: 'everything',
      headRefOid: head,
      isCrossRepository: false,
      baseRefName: 'main',
      baseRef: {
        target: { oid: await world.repository.git('rev-parse', 'main') },
        refUpdateRule: { requiredStatusCheckContexts: ['build'] },
      },
      author: { login: 'robot', __typename: 'User' },
      viewerDidAuthor: true,
      changedFiles: 1,
      files: { nodes: [{ path: 'everything.txt', additions: 1 }] },
      reviews: {
        totalCount: 1,
        nodes: [
          {
            state: 'CHANGES_REQUESTED',
            body: 'Not yet.',
            author: { login: 'mona' },
            authorAssociation: 'COLLABORATOR',
            commit: { oid: head },
            comments: { nodes: [{ path: 'everything.txt', line: 1, body: 'Why?' }] },
          },
        ],
      },
      reviewThreads: { nodes: [{ isOutdated: false, comments: { nodes: [{ body: 'Why?' }] } }] },
      comments: { nodes: [{ body: 'Nice!', authorAssociation: 'NONE' }] },
      commits: {
        nodes: [
          {
            commit: {
              oid: head,
              messageHeadline: 'Add everything',
              statusCheckRollup: {
                state: 'FAILURE',
                contexts: {
                  checkRunCount: 1,
                  nodes: [expect.anything(), expect.anything()],
                },
              },
            },
          },
        ],
      },
    })
    expect(
      data.repository.pullRequest.commits.nodes[0].commit.statusCheckRollup.contexts.nodes,
    ).toEqual(
      expect.arrayContaining([
        {
          __typename: 'CheckRun',
          name: 'build',
          status: 'COMPLETED',
          conclusion: 'FAILURE',
          isRequired: true,
          checkSuite: {
            app: { slug: 'github-actions' },
            workflowRun: { workflow: { databaseId: expect.any(Number), name: 'CI' } },
          },
        },
        {
          __typename: 'StatusContext',
          context: 'ci/old',
          state: 'SUCCESS',
          targetUrl: 'https://ci.example.com/1',
          isRequired: false,
        },
      ]),
    )
  })

  it('is the same over REST: ids, addresses, people, words and states', async () => {
    const { github } = world
    const number = await world.open('said-twice')
    const mona = github.as('mona')
    await mona.review(number, {
      state: 'COMMENTED',
      body: 'Hm.',
      comments: [{ path: 'said-twice.txt', line: 1, body: 'Why?' }],
    })
    await mona.comment(number, 'Nice!')
    const head = github.pull(number).headSha
    github.setCheck(head, { name: 'build', conclusion: 'timed_out' })
    const rest = async (path: string): Promise<Json> => {
      const response = await fetch(`${github.apiUrl}/repos/octo/widgets${path}`, {
        headers: { authorization: `bearer ${github.token}` },
      })
      expect(response.status, path).toBe(200)
      return response.json()
    }
    const words =
      'id databaseId url body authorAssociation author { login ... on User { id databaseId } }'
    const { data } = await ask(
      asking(`databaseId url createdAt updatedAt repository { id databaseId }
        reviews(first: 1) { nodes { ${words} state submittedAt comments(first: 1) { nodes { ${words} path line diffHunk createdAt } } } }
        comments(first: 1) { nodes { ${words} createdAt } }
        statusCheckRollup { contexts(first: 1) { nodes { ... on CheckRun { id databaseId name detailsUrl permalink startedAt checkSuite { workflowRun { databaseId workflow { databaseId } } } } } } }`),
      { number },
    )
    const { pullRequest } = data.repository
    const [pull, [review], [lineComment], [comment], checks, runs] = await Promise.all(
      [
        `/pulls/${number}`,
        `/pulls/${number}/reviews`,
        `/pulls/${number}/comments`,
        `/issues/${number}/comments`,
        `/commits/${head}/check-runs`,
        '/actions/runs',
      ].map(rest),
    )
    const written = (item: Json) => ({
      id: item['node_id'],
      databaseId: item['id'],
      url: item['html_url'],
      body: item['body'],
      authorAssociation: item['author_association'],
      author: { login: item['user'].login, id: item['user'].node_id, databaseId: item['user'].id },
    })
    expect(pullRequest).toMatchObject({
      id: pull.node_id,
      databaseId: pull.id,
      url: pull.html_url,
      createdAt: pull.created_at,
      updatedAt: pull.updated_at,
      repository: { id: pull.base.repo.node_id, databaseId: pull.base.repo.id },
    })
    expect(pullRequest.reviews.nodes[0]).toMatchObject({
      ...written(review),
      state: review.state,
      submittedAt: review.submitted_at,
    })
    const { path, line, diff_hunk: diffHunk, created_at: createdAt } = lineComment
    expect(pullRequest.reviews.nodes[0].comments.nodes[0]).toEqual({
      ...written(lineComment),
      path,
      line,
      diffHunk,
      createdAt,
    })
    expect(pullRequest.comments.nodes[0]).toEqual({
      ...written(comment),
      createdAt: comment.created_at,
    })
    const [check] = checks.check_runs
    const [run] = runs.workflow_runs.filter((one: Json) => one['head_sha'] === head)
    expect(pullRequest.statusCheckRollup.contexts.nodes[0]).toEqual({
      id: check.node_id,
      databaseId: check.id,
      name: 'build',
      detailsUrl: check.details_url,
      permalink: check.html_url,
      startedAt: check.started_at,
      checkSuite: {
        workflowRun: { databaseId: run.id, workflow: { databaseId: run.workflow_id } },
      },
    })
  })

  it('does not know at first whether it can be merged, and finds out', async () => {
    const number = await world.open('unknown-at-first')
    const states = asking('mergeable mergeStateStatus')
    expect((await ask(states, { number })).data.repository.pullRequest).toMatchObject({
      mergeable: 'UNKNOWN',
      mergeStateStatus: 'UNKNOWN',
    })
    expect((await ask(states, { number })).data.repository.pullRequest).toMatchObject({
      mergeable: 'MERGEABLE',
      mergeStateStatus: 'CLEAN',
    })
    await world.open('conflicting', { files: { 'unknown-at-first.txt': 'another text\n' } })
    await world.github.as('mona').merge(number)
    const conflicting = world.github.state.pulls.size
    await ask(states, { number: conflicting })
    expect((await ask(states, { number: conflicting })).data.repository.pullRequest).toMatchObject({
      mergeable: 'CONFLICTING',
      mergeStateStatus: 'DIRTY',
    })
    const merged = await ask(
      asking('state merged mergedBy { login } mergeCommit { oid } mergeable'),
      { number },
    )
    expect(merged.data.repository.pullRequest).toMatchObject({
      state: 'MERGED',
      merged: true,
      mergedBy: { login: 'mona' },
      mergeCommit: { oid: world.github.pull(number).mergeCommitSha },
      mergeable: 'UNKNOWN',
    })
  })

  it('has no review decision where nobody has to approve', async () => {
    const { github } = world
    const number = await world.open('decided')
    await github.as('mona').review(number, { state: 'APPROVED' })
    expect(
      (await ask(asking('reviewDecision'), { number })).data.repository.pullRequest.reviewDecision,
    ).toBeNull()
    github.state.repository.requiredReviews.set('main', 1)
    onTestFinished(() => void github.state.repository.requiredReviews.delete('main'))
    expect(
      (await ask(asking('reviewDecision'), { number })).data.repository.pullRequest.reviewDecision,
    ).toBe('APPROVED')
  })

  it('is found by its head, base and state, newest first', async () => {
    const older = await world.open('listed-older', { base: 'main' })
    const newer = await world.open('listed-newer', { base: 'listed-older' })
    await world.github.as('mona').close(older)
    const list = (filter: string): Promise<GraphqlReply> =>
      ask(
        `{ repository(owner: "octo", name: "widgets") { pullRequests(first: 50, orderBy: { field: CREATED_AT, direction: DESC }, ${filter}) { nodes { number } } } }`,
      )
    const numbers = ({ data }: GraphqlReply): number[] =>
      data.repository.pullRequests.nodes.map((node: { number: number }) => node.number)
    expect(numbers(await list('headRefName: "listed-newer"'))).toEqual([newer])
    expect(numbers(await list('baseRefName: "listed-older"'))).toEqual([newer])
    expect(numbers(await list('states: [CLOSED]'))).toEqual([older])
    const open = numbers(await list('states: [OPEN]'))
    expect(open).toEqual(open.toSorted((a, b) => b - a))
  })

  it('is found under the repository’s former name, unless renames are not to be followed', async () => {
    const own = await githubWithCommits()
    onTestFinished(() => own.close())
    const number = await own.open('renamed')
    own.github.rename('octo', 'gadgets')
    const by = (follow: boolean): Promise<GraphqlReply> =>
      askGraphql(
        own.github,
        `{ repository(owner: "octo", name: "widgets", followRenames: ${follow}) { nameWithOwner pullRequest(number: ${number}) { isCrossRepository } } }`,
      )
    expect((await by(true)).data.repository).toEqual({
      nameWithOwner: 'octo/gadgets',
      pullRequest: { isCrossRepository: false },
    })
    expect(await by(false)).toMatchObject({
      status: 200,
      data: { repository: null },
      errors: [{ type: 'NOT_FOUND', path: ['repository'] }],
    })
  })
})

describe('pages', () => {
  it('give each item once and in order, whatever their size and from whichever end', async () => {
    const number = await world.open('talked-about')
    const said = ['one', 'two', 'three', 'four', 'five', 'six', 'seven']
    for (const body of said) await world.github.as('mona').comment(number, body)
    const page = asking(
      'comments(first: $first, last: $last, after: $after, before: $before) { totalCount nodes { body } edges { cursor } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } }',
    ).replace(
      '$number: Int!',
      '$number: Int!, $first: Int, $last: Int, $after: String, $before: String',
    )
    const comments = async (variables: Readonly<Record<string, unknown>>) =>
      (await ask(page, { number, ...variables })).data.repository.pullRequest.comments
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 9 }), fc.boolean(), async (size, forwards) => {
        const seen: string[] = []
        let cursor: string | null = null
        for (;;) {
          const answer = await comments(
            forwards ? { first: size, after: cursor } : { last: size, before: cursor },
          )
          const bodies = answer.nodes.map((node: { body: string }) => node.body)
          seen.splice(forwards ? seen.length : 0, 0, ...bodies)
          expect(answer.totalCount).toBe(said.length)
          expect(answer.edges.length).toBe(bodies.length)
          if (!(forwards ? answer.pageInfo.hasNextPage : answer.pageInfo.hasPreviousPage)) break
          cursor = forwards ? answer.pageInfo.endCursor : answer.pageInfo.startCursor
        }
        expect(seen).toEqual(said)
      }),
      { numRuns: 18 },
    )
  })

  it('must have a size, of at most 100', async () => {
    const list = (args: string): Promise<GraphqlReply> =>
      ask(
        `{ repository(owner: "octo", name: "widgets") { pullRequests${args} { nodes { number } } } }`,
      )
    expect((await list('')).errors).toMatchObject([
      { type: 'MISSING_PAGINATION_BOUNDARIES', path: ['repository', 'pullRequests'] },
    ])
    expect((await list('(first: 101)')).errors).toMatchObject([
      {
        type: 'EXCESSIVE_PAGINATION',
        message:
          'Requesting 101 records on the `pullRequests` connection exceeds the `first` limit of 100 records.',
      },
    ])
    expect((await list('(first: 5, after: "nonsense")')).errors).toMatchObject([
      { type: 'INVALID_CURSOR_ARGUMENTS' },
    ])
  })
})

describe('the price', () => {
  const price = (query: string) => {
    const document = parse(query)
    const [operation] = document.definitions
    if (operation?.kind !== 'OperationDefinition') throw new Error('no operation')
    const { variableValues } = getVariableValues(
      githubSchema(),
      operation.variableDefinitions ?? [],
      {},
    )
    if (variableValues === undefined) throw new Error('no variables')
    return costOf(githubSchema(), document, operation, variableValues)
  }

  it('is what GitHub’s own documentation works out in its examples', () => {
    const points =
      'repositories(first: 100) { edges { node { id issues(first: 50) { edges { node { id labels(first: 60) { edges { node { id name } } } } } } } } }'
    expect(price(`{ viewer { login ${points} } }`).points).toBe(51)
    const issues = 'edges { node { title comments(first: 10) { edges { node { bodyHTML } } } } }'
    const nodes = `repositories(first: 50) { edges { repository: node { name pullRequests(first: 20) { ${issues} } issues(first: 20) { totalCount ${issues} } } } }`
    expect(
      price(`{ viewer { ${nodes} followers(first: 10) { edges { follower: node { login } } } } }`)
        .nodes,
    ).toBe(22_060)
  })

  it('is in the answer, and is taken off the limit', async () => {
    const fields = 'reviews(first: 100) { nodes { comments(first: 100) { nodes { id } } } }'
    const query = `{ rateLimit { limit cost remaining used nodeCount } repository(owner: "octo", name: "widgets") { pullRequests(first: 10) { nodes { ${fields} } } } }`
    const first = (await ask(query)).data.rateLimit
    const second = (await ask(query)).data.rateLimit
    // 1 for the list, 10 for reviews, 1,000 for comments.
    expect(first).toMatchObject({ cost: 10, nodeCount: 10 + 1_000 + 100_000 })
    expect(first.remaining - second.remaining).toBe(10)
    expect(first.used + first.remaining).toBe(first.limit)
    expect(world.github.calls.at(-1)).toMatchObject({ cost: 10, status: 200 })
  })

  it('cannot be more than 500,000 nodes', async () => {
    const fields = 'reviews(first: 100) { nodes { comments(first: 100) { nodes { id } } } }'
    const { data, errors } = await ask(
      `{ repository(owner: "octo", name: "widgets") { pullRequests(first: 100) { nodes { ${fields} } } } }`,
    )
    expect(data ?? null).toBeNull()
    expect(errors).toEqual([
      {
        type: 'MAX_NODE_LIMIT_EXCEEDED',
        message:
          'This query requests up to 1,010,100 possible nodes which exceeds the maximum limit of 500,000.',
      },
    ])
  })

  it('cannot be paid when the limit is used up, which is answered with status 200', async () => {
    const own = await githubWithCommits()
    onTestFinished(() => own.close())
    own.github.setLimit('graphql', { remaining: 0, resetAt: Date.now() + 600_000 })
    const { status, data, errors } = await askGraphql(own.github, '{ viewer { login } }')
    expect({ status, data: data ?? null }).toEqual({ status: 200, data: null })
    expect(errors).toMatchObject([
      { type: 'RATE_LIMITED', message: expect.stringContaining('API rate limit exceeded') },
    ])
  })
})

describe('errors', () => {
  it('name a field that is none, and nothing is run', async () => {
    const { status, data, errors } = await ask('query Wrong { viewer { login nickname } }')
    expect({ status, data: data ?? null }).toEqual({ status: 200, data: null })
    expect(errors).toMatchObject([
      {
        message: "Field 'nickname' doesn't exist on type 'User'",
        extensions: { code: 'undefinedField' },
      },
    ])
  })

  it('say what could not be found, and the rest is answered', async () => {
    const number = await world.open('found')
    const { data, errors } = await ask(
      'query($ids: [ID!]!) { nodes(ids: $ids) { ... on PullRequest { number } } }',
      { ids: [idOf(number), 'PR_none'] },
    )
    expect(data.nodes).toEqual([{ number }, null])
    expect(errors).toMatchObject([
      {
        type: 'NOT_FOUND',
        path: ['nodes', 1],
        message: "Could not resolve to a node with the global id of 'PR_none'",
      },
    ])
    const missing = await ask(asking('title'), { number: 9999 })
    expect(missing).toMatchObject({
      data: { repository: { pullRequest: null } },
      errors: [
        {
          type: 'NOT_FOUND',
          path: ['repository', 'pullRequest'],
          message: 'Could not resolve to a PullRequest with the number of 9999.',
        },
      ],
    })
  })

  it('refuse more than 100 node ids at once', async () => {
    const ids = Array.from({ length: 101 }, (_, index) => `PR_${index}`)
    const { data, errors } = await ask('query($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids })
    expect(data).toBeNull()
    expect(errors).toMatchObject([
      {
        type: 'ARGUMENT_LIMIT',
        message: 'You may not provide more than 100 node ids; you provided 101.',
      },
    ])
  })

  it('refuse check runs to a fine-grained token, which still reads statuses and what all comes to', async () => {
    const { github } = world
    const number = await world.open('checked')
    const head = github.pull(number).headSha
    github.setStatus(head, { context: 'lint', state: 'success' })
    github.setCheck(head, { name: 'test', conclusion: 'failure' })
    const rollup = asking(
      'statusCheckRollup { state contexts(first: 10) { nodes { ... on StatusContext { context } ... on CheckRun { name } } } }',
    )
    const token = github.addToken({
      login: 'mona',
      kind: 'fine-grained',
      permissions: { pull_requests: 'write', statuses: 'read', contents: 'write' },
    })
    const { data, errors } = await ask(rollup, { number }, token)
    expect(data.repository.pullRequest.statusCheckRollup.state).toBe('FAILURE')
    expect(data.repository.pullRequest.statusCheckRollup.contexts.nodes).toEqual(
      expect.arrayContaining([{ context: 'lint' }, null]),
    )
    expect(errors).toMatchObject([
      { type: 'FORBIDDEN', message: 'Resource not accessible by personal access token' },
    ])
    const poor = github.addToken({
      login: 'mona',
      kind: 'fine-grained',
      permissions: { pull_requests: 'read' },
    })
    expect(await ask(rollup, { number }, poor)).toMatchObject({
      data: { repository: { pullRequest: { statusCheckRollup: null } } },
      errors: [{ type: 'FORBIDDEN', path: ['repository', 'pullRequest', 'statusCheckRollup'] }],
    })
  })

  it('leave half of an answer out where a part of GitHub fails', async () => {
    const { github } = world
    const numbers = [await world.open('half-one'), await world.open('half-two')]
    github.fail(/Halves/, { kind: 'partial' })
    const query =
      'query Halves($ids: [ID!]!) { nodes(ids: $ids) { ... on PullRequest { number reviews(first: 1) { totalCount } } } }'
    const ids = numbers.map(idOf)
    const { status, data, errors } = await ask(query, { ids })
    expect(status).toBe(200)
    expect(data.nodes).toEqual([{ number: numbers[0], reviews: null }, null])
    expect(errors.map(({ message }) => message)).toEqual([
      expect.stringContaining('Something went wrong'),
      expect.stringContaining('Something went wrong'),
    ])
    expect((await ask(query, { ids })).errors).toEqual([])
  })
})

describe('changes', () => {
  const change = (
    mutation: string,
    input: Readonly<Record<string, unknown>>,
    token?: string,
  ): Promise<GraphqlReply> => {
    const type = `${mutation[0]?.toUpperCase()}${mutation.slice(1)}Input`
    return ask(
      `mutation Change($input: ${type}!) { ${mutation}(input: $input) { clientMutationId } }`,
      { input: { clientMutationId: 'me', ...input } },
      token,
    )
  }

  it('merge only the head that was looked at', async () => {
    const { github } = world
    const number = await world.open('merged-by-mutation')
    const { headSha } = github.pull(number)
    const stale = await change('mergePullRequest', {
      pullRequestId: idOf(number),
      mergeMethod: 'SQUASH',
      expectedHeadOid: '0'.repeat(40),
    })
    expect(stale.errors).toMatchObject([
      {
        type: 'UNPROCESSABLE',
        path: ['mergePullRequest'],
        message: expect.stringContaining('Head branch was modified'),
      },
    ])
    expect(github.pull(number).merged).toBe(false)
    const merged = await change('mergePullRequest', {
      pullRequestId: idOf(number),
      mergeMethod: 'SQUASH',
      expectedHeadOid: headSha,
      commitHeadline: 'All of it',
    })
    expect(merged).toMatchObject({
      data: { mergePullRequest: { clientMutationId: 'me' } },
      errors: [],
    })
    expect(github.pull(number)).toMatchObject({ merged: true, mergedBy: 'robot' })
  })

  it('are refused to who may only read', async () => {
    const { github } = world
    const number = await world.open('not-theirs')
    const token = github.addToken({ login: 'stranger' })
    const refused = await change('mergePullRequest', { pullRequestId: idOf(number) }, token)
    expect(refused.errors).toMatchObject([{ type: 'FORBIDDEN', path: ['mergePullRequest'] }])
    expect(github.pull(number).merged).toBe(false)
  })

  it('open, describe, hold back, comment on, close and reopen a pull request', async () => {
    const { github } = world
    await world.commit('made-by-mutation', { 'made.txt': 'made\n' })
    const created = await ask(
      'mutation Create($input: CreatePullRequestInput!) { createPullRequest(input: $input) { pullRequest { id number isDraft } } }',
      {
        input: {
          repositoryId: github.state.repository.nodeId,
          headRefName: 'made-by-mutation',
          baseRefName: 'main',
          title: 'Made',
          draft: true,
        },
      },
    )
    const { number, id: pullRequestId } = created.data.createPullRequest.pullRequest
    await change('markPullRequestReadyForReview', { pullRequestId })
    await change('updatePullRequest', { pullRequestId, title: 'Made better' })
    await change('addComment', { subjectId: pullRequestId, body: 'Done.' })
    await change('closePullRequest', { pullRequestId })
    expect(github.pull(number)).toMatchObject({
      title: 'Made better',
      draft: false,
      state: 'closed',
    })
    await change('reopenPullRequest', { pullRequestId })
    await change('convertPullRequestToDraft', { pullRequestId })
    expect(github.pull(number)).toMatchObject({ draft: true, state: 'open' })
    expect(github.state.issueComments.findLast(({ pull }) => pull === number)).toMatchObject({
      body: 'Done.',
      author: 'robot',
    })
  })
})
