import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import type { Notice } from '../../../../src/adapters/notify/target.ts'
import { readWebhookUrl } from '../../../../src/adapters/notify/webhook-url.ts'
import { createWebhookTarget } from '../../../../src/adapters/notify/webhook.ts'

const never = new AbortController().signal
const notice: Notice = {
  id: 'id-1',
  title: 'exomonad: 1 thing needs you',
  body: '1 question (auth)\n\n<!channel> & @everyone?',
  items: [
    { id: 'd-1', kind: 'question', event: 'question.asked', agent: 'auth', at: 0, text: 'what?' },
  ],
  test: false,
}

interface Request {
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly json: any
}

/** A server on this machine; `answer` says what each request gets. */
async function serve(answer: (response: ServerResponse, request: IncomingMessage) => void) {
  const requests: Request[] = []
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (part: Buffer) => (text += part.toString()))
    request.on('end', () => {
      requests.push({
        path: `${request.method} ${request.url}`,
        headers: request.headers,
        json: JSON.parse(text),
      })
      answer(response, request)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { requests, at: (path: string) => new URL(`http://127.0.0.1:${port}${path}`) }
}

const webhook = (
  url: URL,
  preset: 'json' | 'slack' | 'discord' | 'ntfy' = 'json',
  timeout?: number,
) =>
  createWebhookTarget({
    preset,
    readUrl: async () => url,
    ...(timeout === undefined ? {} : { timeout }),
  })

it('posts a document whose ids stay the same where it is sent again', async () => {
  const { requests, at } = await serve((response) => response.end('thanks'))
  const target = webhook(at('/hook/secret-1'))
  const answers = [await target.send(notice, never), await target.send(notice, never)]
  expect(answers).toEqual([
    { ok: true, said: expect.stringMatching(/^127\.0\.0\.1:\d+ answered 200: thanks$/) },
    answers[0],
  ])
  expect(requests[0]).toMatchObject({
    path: 'POST /hook/secret-1',
    headers: { 'content-type': 'application/json', 'idempotency-key': 'id-1' },
    json: {
      version: 1,
      id: 'id-1',
      test: false,
      title: notice.title,
      body: notice.body,
      count: 1,
      items: [
        {
          id: 'd-1',
          kind: 'question',
          event: 'question.asked',
          agent: 'auth',
          at: '1970-01-01T00:00:00.000Z',
          text: 'what?',
        },
      ],
    },
  })
  expect(requests[1]?.json).toEqual(requests[0]?.json)
})

it('speaks to Slack, Discord and ntfy as they document it', async () => {
  const { requests, at } = await serve((response) => response.writeHead(204).end())
  await webhook(at('/services/T/B/x'), 'slack').send(notice, never)
  await webhook(at('/api/webhooks/1/y'), 'discord').send(notice, never)
  await webhook(at('/base/my%20topic?auth=tk'), 'ntfy').send(notice, never)
  await webhook(at('/topic'), 'ntfy').send({ ...notice, body: '' }, never)
  expect(requests.map(({ path, json }) => [path, json])).toEqual([
    [
      'POST /services/T/B/x',
      {
        text: 'exomonad: 1 thing needs you\n1 question (auth)\n\n&lt;!channel&gt; &amp; @everyone?',
      },
    ],
    [
      'POST /api/webhooks/1/y',
      { content: `${notice.title}\n${notice.body}`, allowed_mentions: { parse: [] } },
    ],
    [
      'POST /base/?auth=tk',
      { topic: 'my topic', title: notice.title, message: notice.body, tags: ['bell'] },
    ],
    ['POST /', { topic: 'topic', title: notice.title, message: notice.title, tags: ['bell'] }],
  ])
})

it('keeps within what Discord and ntfy take', async () => {
  const { requests, at } = await serve((response) => response.end())
  const long = { ...notice, body: '€'.repeat(9000) }
  await webhook(at('/d'), 'discord').send(long, never)
  await webhook(at('/n'), 'ntfy').send(long, never)
  expect(requests[0]?.json.content.length).toBe(2000)
  expect(Buffer.byteLength(requests[1]?.json.message)).toBeLessThanOrEqual(4096)
})

it.each([
  [500, {}, { again: true }],
  [429, { 'retry-after': '7' }, { again: true, after: 7000 }],
  [404, {}, { again: false }],
  [302, { location: 'http://127.0.0.1:1/elsewhere' }, { again: false }],
])('says whether an answer of %i may be better soon', async (status, headers, expected) => {
  const { requests, at } = await serve((response) =>
    response.writeHead(status, headers).end('no such hook: /hook/secret-1'),
  )
  const answer = await webhook(at('/hook/secret-1')).send(notice, never)
  expect(answer).toMatchObject({ ok: false, ...expected })
  expect(JSON.stringify(answer)).toContain(`answered ${status}: no such hook: [redacted]`)
  expect(requests).toHaveLength(1)
})

it('gives up on a server that hangs, before or within its answer, and on none', async () => {
  const hanging = await serve(() => {})
  const half = await serve((response) => response.write('half'))
  for (const { at } of [hanging, half]) {
    expect(await webhook(at('/secret'), 'json', 200).send(notice, never)).toEqual({
      ok: false,
      again: true,
      reason: expect.stringMatching(/^127\.0\.0\.1:\d+: no answer within 0\.2 s$/),
    })
  }
  const leaving = new AbortController()
  const sent = webhook(hanging.at('/secret')).send(notice, leaving.signal)
  leaving.abort()
  expect(await sent).toMatchObject({ ok: false })
  const refused = await webhook(new URL('http://127.0.0.1:1/secret')).send(notice, never)
  expect(refused).toMatchObject({ ok: false, again: true })
  expect(JSON.stringify(refused)).not.toContain('secret')
})

it('takes its address from a file or a variable, and never says it', async () => {
  const read = (text: string, from: 'file' | 'variable' = 'file') =>
    readWebhookUrl({
      where: 'notify.targets.x.url_file',
      file: from === 'file' ? 'hook.txt' : undefined,
      variable: from === 'variable' ? 'HOOK' : undefined,
      readFile: async () => text,
      variables: { HOOK: text },
      isSafe: (url) => url.startsWith('https://'),
    })
  expect((await read('https://h.example/s')).href).toBe('https://h.example/s')
  expect((await read(' https://h.example/s\n', 'variable')).href).toBe('https://h.example/s')
  await expect(read('http://h.example/sec')).rejects.toThrow(
    /^hook\.txt, which .* begins with https:/,
  )
  await expect(read('sec ret')).rejects.not.toThrow(/sec ret/)
  await expect(read('', 'variable')).rejects.toThrow(/^\$HOOK, .*not set in the daemon/)
  const unread = createWebhookTarget({ preset: 'json', readUrl: () => read('') })
  expect(await unread.send(notice, never)).toMatchObject({ ok: false, again: false })
})
