import { createRequire } from 'node:module'
import { request } from 'node:http'
import { sign } from '@octokit/webhooks-methods'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { configSchema } from '../../../src/config/schema.ts'
import { openWebhook, type Webhook } from '../../../src/daemon/forge/open-webhook.ts'
import { createPoller } from '../../../src/pull-watch/poller.ts'
import { createPublisher } from '../../../src/delivery/publisher.ts'
import { asBranchName, newDeliveryId } from '../../../src/domain/ids.ts'
import { silentLog } from '../../../src/runtime/log.ts'
import { webhookHints } from '../../../src/surfaces/http/webhook-hints.ts'
import { openGithubForge } from '../../helpers/github/github-forge.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import { makeAgent } from '../../unit/core/make-agent.ts'

type Payload = Record<string, unknown> & { repository?: { id: number } }
const EXAMPLES = createRequire(import.meta.url)('@octokit/webhooks-examples') as readonly {
  name: string
  examples: readonly Payload[]
}[]
const SECRET = 'it is a secret'

const examplesOf = (event: string): readonly Payload[] =>
  EXAMPLES.find(({ name }) => name === event)?.examples ?? []

describe('webhooks of GitHub', () => {
  let webhook: Webhook
  let hints: number[]
  let received: { branches: readonly string[]; shas: readonly string[] }[]
  let identity: () => Promise<string>

  const open = (more: { port?: number; secret?: string; pace?: number } = {}): Promise<Webhook> =>
    openWebhook({
      ...{ port: 0, host: '127.0.0.1', secret: SECRET, log: silentLog(), pace: 1 },
      ...more,
      identity: () => identity(),
      poller: {
        hint: (number) => void hints.push(number),
        hintAt: (where) => void received.push(where),
      },
    })

  beforeEach(async () => {
    hints = []
    received = []
    identity = async () => 'github.com/186853002'
    webhook = await open()
  })
  afterEach(() => webhook.close())

  const post = async (
    body: string,
    headers: Record<string, string>,
    method = 'POST',
  ): Promise<number> =>
    (await fetch(webhook.url!, { method, headers, ...(method === 'POST' ? { body } : {}) })).status
  const send = async (
    event: string,
    payload: unknown,
    { secret = SECRET } = {},
  ): Promise<number> => {
    const body = JSON.stringify(payload)
    return post(body, {
      'content-type': 'application/json',
      'x-github-event': event,
      'x-hub-signature-256': await sign(secret, body),
    })
  }
  const settled = async (count: number): Promise<void> =>
    void (await waitFor('the hints', () => received.length >= count, { limit: 60_000 }))

  it('hint at the pull request, commit or branch that they are about, as GitHub’s own examples do', async () => {
    for (const event of [
      'pull_request',
      'pull_request_review',
      'pull_request_review_comment',
      'pull_request_review_thread',
      'check_run',
      'check_suite',
      'status',
      'push',
    ] as const) {
      const [example] = examplesOf(event).filter(({ repository }) => repository?.id === 186_853_002)
      expect(await send(event, example), event).toBe(202)
    }
    await waitFor('the last of them', () => received.flatMap(({ shas }) => shas).length >= 3, {
      limit: 60_000,
    })
    await settled(1)
    expect(hints).toContain(2)
    expect(received.flatMap(({ shas }) => shas)).toContain(
      'ec26c3e57ca3a959ca5aad62de7213c562f8c821',
    )
    expect(hints.every((number) => Number.isInteger(number) && number > 0)).toBe(true)
  })

  it('speak of no pull request where an issue is commented on, and of the branch where one is pushed', async () => {
    const [comment] = examplesOf('issue_comment')
    const issue = comment!['issue'] as Record<string, unknown>
    await send('issue_comment', comment)
    await send('issue_comment', {
      ...comment,
      issue: { ...issue, number: 7, pull_request: { url: 'https://api.github.com/…' } },
    })
    const push = examplesOf('push').find(({ ref }) => String(ref).startsWith('refs/heads/'))
    await send('push', push)
    await waitFor(
      'the branch',
      () => received.some(({ branches }) => branches.includes('master')),
      {
        limit: 60_000,
      },
    )
    expect(hints).toEqual([7])
  })

  it('are refused without the right signature, and nothing of them is used', async () => {
    const [example] = examplesOf('pull_request')
    const body = JSON.stringify(example)
    const headers = { 'content-type': 'application/json', 'x-github-event': 'pull_request' }
    expect(await post(body, headers)).toBe(401)
    expect(await send('pull_request', example, { secret: 'another' })).toBe(401)
    expect(
      await post(`${body} `, { ...headers, 'x-hub-signature-256': await sign(SECRET, body) }),
    ).toBe(401)
    expect(await post(body, { ...headers, 'x-hub-signature-256': 'sha256=' })).toBe(401)
    // What GitHub sends for old receivers is not enough.
    expect(await post(body, { ...headers, 'x-hub-signature': `sha1=${'0'.repeat(40)}` })).toBe(401)
    expect(await post('', { ...headers, 'x-hub-signature-256': await sign(SECRET, ' ') })).toBe(401)
    expect(await post('', {}, 'GET')).toBe(405)
    expect([hints, received]).toEqual([[], []])
  })

  it('of other repositories count for nothing, nor do any while it is not known which repository this is', async () => {
    const [example] = examplesOf('pull_request')
    await send('pull_request', { ...example, repository: { ...example!.repository, id: 1 } })
    identity = () => Promise.reject(new Error('no route'))
    await send('pull_request', example)
    identity = async () => 'github.com/186853002'
    await send('pull_request', example)
    await waitFor('the third', () => hints.length > 0, { limit: 60_000 })
    expect(new Set(hints)).toEqual(
      new Set([(example!['pull_request'] as { number: number }).number]),
    )
  })

  it('that come by the hundred, or again, are few looks', async () => {
    await webhook.close()
    webhook = await open({ pace: 60_000 })
    const [example] = examplesOf('check_run')
    for (let n = 0; n < 30; n++) expect(await send('check_run', example)).toBe(202)
    expect(hints).toEqual([2])
  })

  it('are taken as a form too, and what is no webhook is refused', async () => {
    const form = new URLSearchParams({
      payload: JSON.stringify(examplesOf('pull_request')[0]),
    }).toString()
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      'x-github-event': 'pull_request',
      'x-hub-signature-256': await sign(SECRET, form),
    }
    expect(await post(form, headers)).toBe(202)
    await waitFor('the hint', () => hints.length > 0, { limit: 60_000 })
    for (const body of [
      'not json',
      'payload=',
      '{"repository":',
      `{"repository":${'['.repeat(5000)}${']'.repeat(5000)}}`,
      '['.repeat(400_000),
    ]) {
      expect(
        await post(body, {
          ...headers,
          'content-type': 'application/json',
          'x-hub-signature-256': await sign(SECRET, body),
        }),
      ).toBe(400)
    }
    expect(await post('{}', { 'x-hub-signature-256': await sign(SECRET, '{}') })).toBe(400)
    expect(await send('ping', { zen: 'Keep it simple', repository: null })).toBe(202)
  })

  it('that are larger than GitHub’s are refused before they are read', async () => {
    const status = await new Promise<number>((resolve, reject) => {
      const sent = request(webhook.url!, {
        method: 'POST',
        headers: {
          'content-length': 30_000_000,
          'x-github-event': 'push',
          'x-hub-signature-256': `sha256=${'0'.repeat(64)}`,
        },
      })
      sent.on('response', (response) => {
        resolve(response.statusCode ?? 0)
        sent.destroy()
      })
      sent.on('error', reject)
      sent.flushHeaders()
    })
    expect(status).toBe(413)
  })

  it('are not listened for without a secret; a port that is taken stops nobody', async () => {
    await expect(open({ secret: ' \n' })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('webhook_secret_file') as string,
    })
    const second = await open({ port: Number(new URL(webhook.url!).port) })
    expect(second.url).toBeNull()
    await second.close()
  })

  it('of every kind that GitHub has an example of are read without a fault', () => {
    for (const { name, examples } of EXAMPLES) {
      for (const example of examples) {
        const found = webhookHints(name, example)
        expect(found === undefined).toBe(typeof example.repository?.id !== 'number')
      }
    }
  })

  it('of any shape at all are read without a fault, and hint at nothing that is no number, branch or commit', () => {
    const names = fc.constantFrom(
      'pull_request',
      'issue_comment',
      'check_run',
      'check_suite',
      'workflow_run',
      'status',
      'push',
      'delete',
      '__proto__',
    )
    const anything = fc.oneof(fc.anything(), fc.jsonValue())
    const shaped = fc.record(
      {
        repository: fc.oneof(fc.record({ id: fc.oneof(fc.integer(), fc.string()) }), anything),
        pull_request: fc.oneof(fc.record({ number: anything }), anything),
        issue: fc.oneof(fc.record({ number: anything, pull_request: anything }), anything),
        check_run: fc.oneof(
          fc.record({
            pull_requests: fc.oneof(
              fc.array(fc.record({ number: anything, base: anything })),
              anything,
            ),
            head_sha: anything,
          }),
          anything,
        ),
        sha: anything,
        ref: anything,
        ref_type: anything,
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(names, fc.oneof(shaped, anything), (name, payload) => {
        const found = webhookHints(name, payload)
        for (const number of found?.numbers ?? [])
          expect(Number.isSafeInteger(number) && number > 0).toBe(true)
        for (const sha of found?.shas ?? []) expect(sha).toMatch(/^[0-9a-f]+$/)
        for (const branch of found?.branches ?? []) expect(branch).toMatch(/./s)
      }),
      { numRuns: 1000 },
    )
  })
})

it('what happens on GitHub is known at once where a webhook is set up, however seldom is looked', async () => {
  const { github, repository, store, forge, close } = await openGithubForge()
  const log = silentLog()
  const publisher = createPublisher({
    store,
    renderer: { render: async () => '', renderPrompt: async () => '' },
    clock: Date.now,
    log,
    newDeliveryId,
  })
  const config = configSchema.parse({ forge: { poll_active: 86_400, poll_idle: 86_400 } })
  const poller = createPoller({
    forge,
    store,
    publisher,
    config: () => config,
    clock: Date.now,
    log,
  })
  const webhook = await openWebhook({
    port: 0,
    host: '127.0.0.1',
    secret: SECRET,
    identity: () => forge.identity(),
    poller,
    log,
    pace: 10,
  })
  try {
    await store.agents.insert(makeAgent({ name: 'auth', branch: asBranchName('main.auth') }))
    await repository.git('checkout', '-q', '-b', 'main.auth')
    const head = await repository.commit({ 'auth.txt': 'in' })
    await repository.git('push', '-q', github.bare, `${head}:refs/heads/main.auth`)
    await github.push('main.auth', head)
    poller.start()
    await poller.poll([])
    const happened = (type: string) =>
      waitFor(type, async () => (await store.events.list({ types: [type] }))[0], { limit: 90_000 })
    github.addHook({ url: webhook.url!, secret: SECRET })
    github.addHook({ url: webhook.url!, secret: 'another' })
    const octo = github.as('octo')
    const number = await octo.open({ head: 'main.auth', base: 'main', title: 'Sign people in' })
    expect((await happened('pr.opened')).payload).toMatchObject({ number })
    await octo.comment(number, 'Well done')
    expect((await happened('pr.comment')).payload).toMatchObject({ number, body: 'Well done' })
    github.setCheck(head, { name: 'test', conclusion: 'failure' })
    expect((await happened('ci.failed')).payload).toMatchObject({ number, sha: head })
    await octo.close(number)
    await happened('pr.closed')
  } finally {
    await webhook.close()
    await poller.stop()
    await close()
  }
})
