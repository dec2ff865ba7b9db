import { createServer } from 'node:http'
import { verify } from '@octokit/webhooks-methods'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { githubExample, type Json } from '../../fixtures/github/webhooks/example.ts'
import {
  githubWithCommits,
  type GithubWithCommits,
} from '../../helpers/github/github-with-commits.ts'

/**
 * What the fake GitHub’s webhooks send, against the examples that GitHub publishes and the
 * signature that it documents.
 */

interface Delivery {
  readonly event: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
  readonly payload: Json
}

const SECRET = 'it is only between us'

let world: GithubWithCommits
let endpoint: { readonly url: string; close(): Promise<void> }
const deliveries: Delivery[] = []
beforeAll(async () => {
  endpoint = await listen(deliveries)
  world = await githubWithCommits()
  const { github } = world
  github.addUser('mona', 'write')
  github.addHook({ url: endpoint.url, secret: SECRET })
  const number = await world.open('feature')
  await world.commit('feature', { 'feature.txt': 'better\n' })
  await fetch(`${github.apiUrl}/repos/octo/widgets/pulls/${number}/requested_reviewers`, {
    method: 'POST',
    headers: { authorization: `bearer ${github.token}` },
    body: JSON.stringify({ reviewers: ['mona'] }),
  })
  const mona = github.as('mona')
  await mona.comment(number, 'What for?')
  const review = await mona.review(number, {
    state: 'CHANGES_REQUESTED',
    body: 'No.',
    comments: [{ path: 'feature.txt', line: 1, body: 'Here.' }],
  })
  await mona.resolve(github.state.lineComments[0]!.id)
  await mona.dismiss(number, review)
  await mona.edit(number, { title: 'A better feature' })
  const { headSha } = github.pull(number)
  github.setStatus(headSha, { context: 'ci/old', state: 'pending' })
  github.setCheck(headSha, { name: 'build', conclusion: 'success' })
  await mona.close(number)
  await mona.reopen(number)
  await mona.merge(number, 'squash')
  await github.settled()
})
afterAll(async () => {
  await world.close()
  await endpoint.close()
})

const find = (event: string, action: string | null): Delivery => {
  const found = deliveries.find(
    (delivery) =>
      delivery.event === event && (action === null || delivery.payload['action'] === action),
  )
  if (found === undefined)
    throw new Error(
      `No delivery of ${event} ${action ?? ''}. There were: ${deliveries.map((one) => `${one.event} ${String(one.payload['action'])}`).join(', ')}`,
    )
  return found
}

describe('deliveries', () => {
  it('are signed, named and numbered', async () => {
    expect(deliveries.length).toBeGreaterThan(10)
    for (const { headers, text, event } of deliveries) {
      expect(headers).toMatchObject({
        'content-type': 'application/json',
        'x-github-event': event,
        'user-agent': expect.stringMatching(/^GitHub-Hookshot\//),
      })
      expect(await verify(SECRET, text, String(headers['x-hub-signature-256']))).toBe(true)
      expect(await verify('another secret', text, String(headers['x-hub-signature-256']))).toBe(
        false,
      )
    }
    expect(new Set(deliveries.map(({ headers }) => headers['x-github-delivery'])).size).toBe(
      deliveries.length,
    )
  })

  it('come in the order in which things happened', () => {
    const actions = deliveries
      .filter(({ event }) => event === 'pull_request')
      .map(({ payload }) => payload['action'])
    expect(actions).toEqual([
      'opened',
      'synchronize',
      'review_requested',
      'edited',
      'closed',
      'reopened',
      'closed',
    ])
    expect(deliveries[0]?.event).toBe('ping')
  })

  it('concern this repository and these people, and nobody in the examples', () => {
    for (const { event, text, payload } of deliveries) {
      expect(payload['repository'], event).toMatchObject({
        full_name: 'octo/widgets',
        owner: { login: 'octo' },
      })
      expect(text, event).not.toMatch(/Codertocat|Hello-World|octo-repo|octo-org|api\.github\.com/)
    }
  })
})

describe('payloads', () => {
  const same: readonly (readonly [event: string, action: string | null, part: string])[] = [
    ['pull_request', 'opened', 'pull_request'],
    ['pull_request', 'closed', 'pull_request'],
    ['pull_request', 'synchronize', 'pull_request'],
    ['pull_request', 'review_requested', 'pull_request'],
    ['pull_request_review', 'submitted', 'review'],
    ['pull_request_review', 'submitted', 'pull_request'],
    ['pull_request_review_comment', 'created', 'comment'],
    ['pull_request_review_thread', 'resolved', 'thread'],
    ['check_run', 'completed', 'check_run'],
    ['check_suite', 'completed', 'check_suite'],
    ['workflow_run', 'completed', 'workflow_run'],
    ['workflow_job', 'completed', 'workflow_job'],
    ['status', null, 'commit'],
    ['push', null, 'head_commit'],
    ['ping', null, 'hook'],
  ]
  it.each(same)(
    'of %s %s has all the keys of GitHub’s example, also in its %s',
    (event, action, part) => {
      const { payload } = find(event, action)
      const example = githubExample({ event, action })
      expect(Object.keys(payload)).toEqual(expect.arrayContaining(Object.keys(example)))
      expect(Object.keys(payload[part] as Json)).toEqual(
        expect.arrayContaining(Object.keys(example[part] as Json)),
      )
    },
  )

  it('of a comment says that its issue is a pull request', () => {
    const { payload } = find('issue_comment', 'created')
    expect(payload).toMatchObject({
      issue: {
        number: 1,
        pull_request: { url: `${world.github.apiUrl}/repos/octo/widgets/pulls/1` },
      },
      comment: { body: 'What for?', user: { login: 'mona' }, author_association: 'COLLABORATOR' },
      sender: { login: 'mona' },
    })
  })

  it('of a pull request says what was true when it happened', () => {
    const [synchronized, merged] = [
      find('pull_request', 'synchronize').payload,
      deliveries.findLast(({ event }) => event === 'pull_request')?.payload,
    ]
    const first = find('pull_request', 'opened').payload['pull_request'] as {
      head: { sha: string }
    }
    expect(synchronized).toMatchObject({
      number: 1,
      before: first.head.sha,
      after: world.github.pull(1).headSha,
      pull_request: { merged: false, title: 'Add feature' },
    })
    expect(merged).toMatchObject({
      action: 'closed',
      pull_request: {
        merged: true,
        title: 'A better feature',
        merged_by: { login: 'mona' },
        state: 'closed',
      },
    })
  })

  it('of a request for a review says whose', () => {
    expect(find('pull_request', 'review_requested').payload).toMatchObject({
      requested_reviewer: { login: 'mona' },
      sender: { login: 'robot' },
    })
  })

  it('of reviews and comments on lines has the words, the place and whose they are', () => {
    expect(find('pull_request_review', 'submitted').payload).toMatchObject({
      review: { state: 'changes_requested', body: 'No.', user: { login: 'mona' } },
    })
    expect(find('pull_request_review', 'dismissed').payload).toMatchObject({
      review: { state: 'dismissed' },
    })
    expect(find('pull_request_review_comment', 'created').payload).toMatchObject({
      comment: { path: 'feature.txt', body: 'Here.' },
      pull_request: { number: 1 },
    })
  })

  it('of checks and statuses has their commit, so that its pull request can be found', () => {
    const { headSha } = world.github.pull(1)
    expect(find('check_run', 'completed').payload).toMatchObject({
      check_run: {
        name: 'build',
        head_sha: headSha,
        conclusion: 'success',
        app: { slug: 'github-actions' },
        pull_requests: [{ number: 1 }],
      },
    })
    expect(find('check_suite', 'completed').payload).toMatchObject({
      check_suite: { head_sha: headSha, conclusion: 'success', pull_requests: [{ number: 1 }] },
    })
    expect(find('workflow_job', 'completed').payload).toMatchObject({
      workflow_job: { name: 'build', head_sha: headSha, head_branch: 'feature' },
    })
    expect(find('status', null).payload).toMatchObject({
      sha: headSha,
      context: 'ci/old',
      state: 'pending',
      branches: [{ name: 'feature' }],
    })
  })

  it('of a push has the branch, both ends and the commits', async () => {
    const pushes = deliveries.filter(({ event }) => event === 'push').map(({ payload }) => payload)
    expect(pushes[0]).toMatchObject({
      ref: 'refs/heads/feature',
      created: true,
      before: '0'.repeat(40),
      head_commit: { message: 'Add feature' },
    })
    expect(pushes[1]).toMatchObject({
      ref: 'refs/heads/feature',
      created: false,
      forced: false,
      commits: [{ id: world.github.pull(1).headSha }],
    })
    expect(pushes[2]).toMatchObject({
      ref: 'refs/heads/main',
      after: world.github.pull(1).mergeCommitSha,
    })
  })
})

describe('hooks', () => {
  it('get only what they asked for, and one that is gone bothers nobody', async () => {
    const own = await githubWithCommits()
    const received: Delivery[] = []
    const target = await listen(received)
    const gone = await listen([])
    await gone.close()
    own.github.addHook({ url: gone.url, secret: null })
    own.github.addHook({ url: target.url, secret: null, events: ['push'] })
    await own.open('quiet')
    await own.github.settled()
    await own.close()
    await target.close()
    expect(received.map(({ event }) => event)).toEqual(['ping', 'push'])
    expect(received[1]?.headers['x-hub-signature-256']).toBeUndefined()
  })
})

/** An endpoint that takes whatever comes. */
async function listen(
  received: Delivery[],
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString()
      received.push({
        event: String(request.headers['x-github-event']),
        headers: request.headers,
        text,
        payload: JSON.parse(text) as Json,
      })
      response.writeHead(204).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/hook`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
