import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createGiteaClient } from '../../../src/adapters/forge/gitea/client.ts'
import { ExomonadError } from '../../../src/domain/errors.ts'
import { createLog } from '../../../src/runtime/log.ts'

/**
 * Requests to Gitea, against a server that answers as it is set to: what a real one does seldom.
 */

type Answer = (request: IncomingMessage, response: ServerResponse, count: number) => void

async function start(answer: Answer, { now = () => 1_000_000 } = {}) {
  let count = 0
  const server = createServer((request, response) => answer(request, response, ++count))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const lines: string[] = []
  const client = createGiteaClient({
    repository: {
      host: `127.0.0.1:${port}`,
      owner: 'ada',
      name: 'widgets',
      url: `http://127.0.0.1:${port}`,
    },
    token: async () => 'sesame',
    clock: now,
    log: createLog({
      level: 'debug',
      destination: { write: (line: string) => void lines.push(line) },
    }),
    userAgent: 'exomonad/test',
    retryDelay: 1,
  })
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  onTestFinished(close)
  return { client, lines, close, count: () => count }
}
const json = (
  response: ServerResponse,
  status: number,
  data: unknown,
  headers: Record<string, string> = {},
): void => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(data))
}

describe('requests to Gitea (20.21)', () => {
  it('carry the token in a header, fill in the repository, and put the token into no log', async () => {
    const { client, lines } = await start((request, response) =>
      json(response, 200, { at: request.url, by: request.headers.authorization }),
    )
    expect(
      (await client.rest('GET /repos/{owner}/{repo}/pulls', { query: { state: 'open' } })).data,
    ).toEqual({
      at: '/api/v1/repos/ada/widgets/pulls?state=open',
      by: 'token sesame',
    })
    expect(lines.join('')).toContain('/repos/ada/widgets/pulls')
    expect(lines.join('')).not.toContain('sesame')
  })

  it('read all pages of a list, also of a server that gives fewer at a time', async () => {
    const { client, count } = await start((request, response) => {
      const page = Number(new URL(request.url ?? '', 'http://x').searchParams.get('page'))
      json(response, 200, page > 3 ? [] : [page * 2 - 1, page * 2], { 'x-total-count': '6' })
    })
    expect(await client.pages('GET /x')).toEqual([1, 2, 3, 4, 5, 6])
    expect(count()).toBe(3)
  })

  it('are sent again where that does no harm', async () => {
    const { client, count } = await start((_, response, n) =>
      n < 3 ? json(response, 502, {}) : json(response, 200, { n }),
    )
    expect((await client.rest('GET /x')).data).toEqual({ n: 3 })
    const once = await start((_, response) => json(response, 502, {}))
    await expect(once.client.rest('POST /x', { body: {} })).rejects.toMatchObject({
      code: 'FORGE_UNAVAILABLE',
      facts: { status: 502 },
    })
    expect([count(), once.count()]).toEqual([3, 1])
  })

  it.each([
    [401, {}, 'FORGE_DENIED', 'refuses the token'],
    [403, { message: 'token does not have scope' }, 'FORGE_DENIED', 'token does not have scope'],
    [404, {}, 'PR_NOT_FOUND', 'no such pull request'],
    [422, { message: 'head  is\nempty' }, 'INVALID_ARG', 'head is empty'],
    [500, {}, 'FORGE_UNAVAILABLE', 'answers 500'],
  ])('that fail with %d are reported in words', async (status, data, code, words) => {
    const { client } = await start((_, response) => json(response, status, data))
    await expect(client.rest('GET /x')).rejects.toMatchObject({
      code,
      message: expect.stringContaining(words),
    })
    await expect(client.rest('GET /x')).rejects.not.toMatchObject({
      message: expect.stringContaining('sesame'),
    })
  })

  it('wait as long as a limit says', async () => {
    const { client, count } = await start((_, response) =>
      json(response, 429, {}, { 'retry-after': '30' }),
    )
    await expect(client.rest('GET /x')).rejects.toMatchObject({
      code: 'FORGE_UNAVAILABLE',
      facts: { retry_at: 1_030_000 },
    })
    expect(count()).toBe(1)
  })

  it('take no login page and no broken answer for an answer', async () => {
    const { client } = await start((request, response) => {
      response.writeHead(200, {
        'content-type': request.url?.includes('page') === true ? 'text/html' : 'application/json',
      })
      response.end(request.url?.includes('page') === true ? '<!DOCTYPE html><html>' : '{"half":')
    })
    await expect(client.rest('GET /page')).rejects.toMatchObject({
      code: 'FORGE_UNAVAILABLE',
      message: expect.stringContaining('login page'),
    })
    await expect(client.rest('GET /x')).rejects.toMatchObject({
      code: 'FORGE_UNAVAILABLE',
      message: expect.stringContaining('no JSON'),
    })
  })

  it('say why nothing answers, and end with the client', async () => {
    const { client, close } = await start((_, response) => json(response, 200, {}))
    await close()
    await expect(client.rest('GET /x')).rejects.toMatchObject({
      code: 'FORGE_UNAVAILABLE',
      message: expect.stringMatching(/can’t be reached: .*ECONNREFUSED/),
    })
    client.close()
    await expect(client.rest('GET /x')).rejects.toMatchObject({
      code: 'FORGE_UNAVAILABLE',
      message: expect.stringContaining('leaving'),
    })
  })

  it('distinguish a missing repository from a missing pull request', async () => {
    const { client } = await start((request, response) =>
      json(response, request.url?.endsWith('/widgets') === true ? 404 : 200, {}),
    )
    const none = new ExomonadError('PR_NOT_FOUND', 'none')
    expect(await client.missing(none)).toMatchObject({
      code: 'FORGE_DENIED',
      message: expect.stringContaining('no repository ada/widgets'),
    })
    const there = await start((_, response) => json(response, 200, {}))
    expect(await there.client.missing(none)).toBe(none)
  })
})
