import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createGithubClient } from '../../../src/adapters/forge/github/client/create.ts'
import type { GithubClient } from '../../../src/adapters/forge/github/client/client.ts'
import type { GithubSettings } from '../../../src/adapters/forge/github/options.ts'
import { ExomonadError } from '../../../src/domain/errors.ts'
import { createLog } from '../../../src/runtime/log.ts'
import { waitFor } from '../../helpers/wait-for.ts'

const TOKEN = 'ghp_0123456789abcdefghijABCDEFGHIJ012345'

interface Asked {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

type Handler = (asked: Asked, response: ServerResponse) => void

const json = (
  response: ServerResponse,
  status: number,
  data: unknown,
  headers: Record<string, string> = {},
): void => {
  response
    .writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers })
    .end(JSON.stringify(data))
}

async function listen(handler: Handler) {
  const asked: Asked[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (part: Buffer) => (body += part.toString()))
    request.on('end', () => {
      const one = {
        method: request.method ?? '',
        url: request.url ?? '',
        headers: request.headers,
        body,
      }
      asked.push(one)
      handler(one, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { asked, server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

/** A client of a server that answers as `handler` does. */
async function open(handler: Handler, settings: Partial<GithubSettings> = {}) {
  const { asked, url, server } = await listen(handler)
  const lines: string[] = []
  const time = { now: Date.parse('2026-03-01T10:00:00Z') }
  const token = { value: TOKEN }
  const client: GithubClient = createGithubClient({
    repository: {
      host: 'git.example.com',
      owner: 'octo',
      name: 'widgets',
      apiUrl: url,
      graphqlUrl: `${url}/graphql`,
    },
    token: async () => token.value,
    settings: () => ({
      trustedBots: [],
      copilotReview: false,
      reserve: 0.2,
      checksExpectedWithin: 180,
      ...settings,
    }),
    clock: () => time.now,
    log: createLog({
      level: 'debug',
      destination: { write: (line: string) => void lines.push(line) },
    }),
    userAgent: 'exomonad/test',
    retryDelay: 1,
  })
  return { client, asked, lines, time, token, url, server }
}

const failure = async (work: Promise<unknown>): Promise<ExomonadError> => {
  const error = await work.then(
    (value) => new Error(`no error, but ${JSON.stringify(value)}`),
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof ExomonadError)) throw error
  return error
}

const PULL = 'GET /repos/{owner}/{repo}/pulls/{pull_number}'
const limitHeaders = (
  remaining: number,
  reset: number,
  resource = 'core',
): Record<string, string> => ({
  'x-ratelimit-limit': '5000',
  'x-ratelimit-remaining': String(remaining),
  'x-ratelimit-reset': String(reset),
  'x-ratelimit-resource': resource,
})

describe('requests to GitHub', () => {
  it('sends the token of the moment, and says in the log what was asked and what is left', async () => {
    const { client, asked, lines, token, time } = await open((_, response) =>
      json(response, 200, { number: 7 }, limitHeaders(4321, time.now / 1000 + 1800)),
    )
    expect(await client.rest(PULL, { pull_number: 7 })).toMatchObject({
      status: 200,
      data: { number: 7 },
    })
    token.value = 'ghp_anotheroneanotheroneanotherone012345'
    await client.rest(PULL, { pull_number: 8 })
    expect(asked.map(({ url, headers }) => [url, headers.authorization])).toEqual([
      ['/repos/octo/widgets/pulls/7', `Bearer ${TOKEN}`],
      ['/repos/octo/widgets/pulls/8', 'Bearer ghp_anotheroneanotheroneanotherone012345'],
    ])
    expect(asked[0]?.headers).toMatchObject({
      'user-agent': expect.stringContaining('exomonad/test'),
      'x-github-api-version': '2022-11-28',
    })
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      method: 'GET',
      path: '/repos/octo/widgets/pulls/7',
      status: 200,
      cost: 1,
      remaining: 4321,
      ms: 0,
    })
    expect(lines.join('')).not.toContain('ghp_')
    expect(client.budget()).toEqual({
      points: null,
      requests: { limit: 5000, remaining: 4321, resetAt: time.now + 1_800_000 },
      blockedUntil: null,
      slowdown: 1,
    })
  })

  it('is answered from the cache where nothing has changed, and forgets it for another token', async () => {
    const { client, asked, token } = await open(({ headers }, response) => {
      if (headers['if-none-match'] === '"one"') response.writeHead(304, { etag: '"one"' }).end()
      else json(response, 200, { title: 'First' }, { etag: '"one"' })
    })
    const first = await client.rest(PULL, { pull_number: 7 })
    expect(await client.rest(PULL, { pull_number: 7 })).toEqual(first)
    token.value = `${TOKEN}x`
    expect((await client.rest(PULL, { pull_number: 7 })).data).toEqual({ title: 'First' })
    expect(asked.map(({ headers }) => headers['if-none-match'])).toEqual([
      undefined,
      '"one"',
      undefined,
    ])
  })

  it('reads all pages of a list, whether it comes bare or in an object', async () => {
    const { client } = await open(({ url }, response) => {
      const page = Number(new URL(url, 'http://x').searchParams.get('page'))
      const data = url.includes('/actions/') ? { total_count: 3, workflow_runs: [page] } : [page]
      json(
        response,
        200,
        data,
        page < 3 ? { link: `<https://elsewhere.example/?page=${page + 1}>; rel="next"` } : {},
      )
    })
    expect(await client.pages('GET /repos/{owner}/{repo}/pulls')).toEqual([1, 2, 3])
    expect(await client.pages('GET /repos/{owner}/{repo}/actions/runs')).toEqual([1, 2, 3])
  })

  it('reads again what failed for a moment, but never sends a write twice', async () => {
    let failing = 2
    const { client, asked } = await open(({ method }, response) => {
      if (method === 'PUT' || failing-- > 0) json(response, 502, {})
      else json(response, 200, { number: 7 })
    })
    expect((await client.rest(PULL, { pull_number: 7 })).status).toBe(200)
    expect(asked).toHaveLength(3)
    const error = await failure(
      client.rest('PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge', {
        pull_number: 7,
        sha: 'x',
      }),
    )
    expect(error).toMatchObject({ code: 'FORGE_UNAVAILABLE', facts: { status: 502 } })
    expect(error.message).toMatch(/git\.example\.com.*trouble of its own.*502/)
    expect(asked).toHaveLength(4)
  })

  it('follows a renamed repository with method and words, on the same host', async () => {
    const { client, asked } = await open(({ method, url }, response) => {
      if (url.startsWith('/repos/octo/widgets'))
        response
          .writeHead(method === 'GET' ? 301 : 307, { location: `/repositories/1${url.slice(19)}` })
          .end()
      else json(response, 200, { at: url })
    })
    expect((await client.rest(PULL, { pull_number: 7 })).data).toEqual({
      at: '/repositories/1/pulls/7',
    })
    await client.rest('PATCH /repos/{owner}/{repo}/pulls/{pull_number}', {
      pull_number: 7,
      title: 'New',
    })
    expect(asked.at(-1)).toMatchObject({
      method: 'PATCH',
      body: '{"title":"New"}',
      headers: { authorization: `Bearer ${TOKEN}` },
    })
  })

  it('gives the token to no other host', async () => {
    const other = await listen((_, response) => json(response, 200, {}))
    const { client } = await open((_, response) =>
      response.writeHead(301, { location: `${other.url}/pulls` }).end(),
    )
    expect(await failure(client.rest(PULL, { pull_number: 7 }))).toMatchObject({
      code: 'FORGE_UNAVAILABLE',
      message: expect.stringContaining('another host'),
    })
    expect(other.asked).toEqual([])
  })

  it('reads the end of a log that is kept elsewhere, without the token', async () => {
    const storage = await listen(({ url }, response) => {
      if (url.includes('gone')) response.writeHead(404).end()
      else if (url.includes('forbidden'))
        response.writeHead(403, { 'content-type': 'application/xml' }).end('<Error/>')
      else
        response
          .writeHead(200, { 'content-type': 'text/plain' })
          .end(`${'line\n'.repeat(50_000)}ends with ü`)
    })
    const { client, lines } = await open(({ url }, response) => {
      if (url.endsWith('/widgets')) json(response, 200, { id: 1 })
      else if (url.includes('/3/')) json(response, 404, { message: 'Not Found' })
      else
        response
          .writeHead(302, {
            location: `${storage.url}/${url.includes('/1/') ? 'log' : url.includes('/2/') ? 'gone' : 'forbidden'}?sig=sekrit`,
          })
          .end()
    })
    const tail = (job: number, bytes: number) =>
      client.textTail(
        'GET /repos/{owner}/{repo}/actions/jobs/{job_id}/logs',
        { job_id: job },
        bytes,
      )
    expect(await tail(1, 20)).toBe('line\nline\nends with ü'.slice(-19))
    // A character that doesn’t fit is left out whole.
    expect(await tail(1, 1)).toBe('')
    expect(await tail(2, 100)).toBeNull()
    expect(await tail(3, 100)).toBeNull()
    const refused = await failure(tail(4, 100))
    expect(refused).toMatchObject({
      code: 'FORGE_UNAVAILABLE',
      message: expect.stringContaining('403'),
    })
    expect(storage.asked.every(({ headers }) => headers.authorization === undefined)).toBe(true)
    expect(`${lines.join('')}${JSON.stringify(refused)}`).not.toContain('sekrit')
  })
})

describe('limits of GitHub', () => {
  it('fails at once until a used up limit is reset, and then asks again', async () => {
    let remaining = 0
    const { client, asked, time } = await open((_, response) => {
      const reset = Date.parse('2026-03-01T10:20:00Z') / 1000
      if (remaining === 0)
        json(
          response,
          403,
          { message: 'API rate limit exceeded for user ID 1.' },
          limitHeaders(0, reset, 'graphql'),
        )
      else
        json(
          response,
          200,
          { data: { viewer: { login: 'robot' } } },
          limitHeaders(remaining, reset + 3600, 'graphql'),
        )
    })
    const error = await failure(client.viewer())
    expect(error).toMatchObject({
      code: 'FORGE_UNAVAILABLE',
      facts: { status: 403, retry_at: Date.parse('2026-03-01T10:20:01Z') },
    })
    expect(error.message).toMatch(/hourly limit of GraphQL points.*2026-03-01T10:20:01Z/)
    expect(await failure(client.viewer())).toMatchObject({
      code: 'FORGE_UNAVAILABLE',
      facts: { retry_at: Date.parse('2026-03-01T10:20:01Z') },
    })
    expect(asked).toHaveLength(1)
    expect(client.budget()).toMatchObject({
      points: { remaining: 0 },
      blockedUntil: Date.parse('2026-03-01T10:20:01Z'),
    })
    remaining = 5000
    time.now = Date.parse('2026-03-01T10:20:02Z')
    expect(client.budget().blockedUntil).toBeNull()
    expect(await client.viewer()).toBe('robot')
  })

  it('knows a limit that GraphQL reports with status 200', async () => {
    const reset = Date.parse('2026-03-01T10:20:00Z') / 1000
    const { client, asked } = await open((_, response) =>
      json(
        response,
        200,
        { errors: [{ type: 'RATE_LIMITED', message: 'API rate limit exceeded' }] },
        limitHeaders(0, reset, 'graphql'),
      ),
    )
    expect(await failure(client.graphql('query Q { viewer { login } }'))).toMatchObject({
      code: 'FORGE_UNAVAILABLE',
      facts: { retry_at: (reset + 1) * 1000 },
    })
    expect(asked).toHaveLength(1)
  })

  it('keeps away from everything for a minute after a secondary limit, or as long as it is asked to', async () => {
    let headers: Record<string, string> = {}
    const { client, asked, time } = await open((_, response) =>
      json(response, 403, { message: 'You have exceeded a secondary rate limit.' }, headers),
    )
    expect(
      (await failure(client.rest('POST /repos/{owner}/{repo}/pulls', {}))).facts['retry_at'],
    ).toBe(time.now + 60_000)
    await failure(client.viewer())
    expect(asked).toHaveLength(1)
    expect(client.budget().blockedUntil).toBe(time.now + 60_000)
    time.now += 60_000
    headers = { 'retry-after': '90' }
    expect((await failure(client.rest(PULL, { pull_number: 1 }))).facts['retry_at']).toBe(
      time.now + 90_000,
    )
    expect(asked).toHaveLength(2)
  })

  it('does not stay away for a day because a clock is wrong', async () => {
    const { client, asked, time } = await open((_, response) =>
      json(response, 429, { message: 'slow down' }, limitHeaders(0, time.now / 1000 + 86_400)),
    )
    const until = (await failure(client.rest(PULL, { pull_number: 1 }))).facts['retry_at']
    expect(until).toBe(time.now + 61 * 60_000)
    // Set back meanwhile: GitHub is asked again instead of counting on.
    time.now -= 7_200_000
    await failure(client.rest(PULL, { pull_number: 1 }))
    expect(asked).toHaveLength(2)
  })

  it('does not hold a used up limit against another token', async () => {
    const reset = Date.parse('2026-03-01T10:20:00Z') / 1000
    const { client, token } = await open(({ headers }, response) => {
      const isFirst = headers.authorization === `Bearer ${TOKEN}`
      if (isFirst)
        json(
          response,
          403,
          { message: 'API rate limit exceeded for user ID 1.' },
          limitHeaders(0, reset),
        )
      else json(response, 200, { number: 7 }, limitHeaders(4999, reset + 60))
    })
    await failure(client.rest(PULL, { pull_number: 7 }))
    token.value = `${TOKEN}x`
    expect((await client.rest(PULL, { pull_number: 7 })).data).toEqual({ number: 7 })
    expect(client.budget()).toMatchObject({ blockedUntil: null, requests: { remaining: 4999 } })
  })

  it('goes slower where what is left would not last', async () => {
    let remaining = 3000
    const { client, time } = await open((_, response) =>
      json(
        response,
        200,
        { data: { viewer: { login: 'robot' }, rateLimit: { cost: 100 } } },
        limitHeaders((remaining -= 100), Date.parse('2026-03-01T10:40:00Z') / 1000, 'graphql'),
      ),
    )
    const slowdowns: number[] = []
    while (time.now < Date.parse('2026-03-01T10:40:00Z')) {
      await client.graphql('query Q { viewer { login } rateLimit { cost } }')
      slowdowns.push(client.budget().slowdown)
      time.now += 60_000 * client.budget().slowdown
    }
    // 100 points a minute are 4,000 in 40 minutes; 3,000 were left, and 1,000 of them are for
    // others.
    expect(Math.max(...slowdowns)).toBeGreaterThan(1.5)
    expect(remaining).toBeGreaterThanOrEqual(900)
    expect(remaining).toBeLessThan(1500)
  })
})

describe('what GitHub refuses', () => {
  it('says that a token was revoked', async () => {
    const { client } = await open((_, response) =>
      json(response, 401, { message: 'Bad credentials' }),
    )
    const error = await failure(client.viewer())
    expect(error).toMatchObject({ code: 'FORGE_DENIED', facts: { status: 401 } })
    expect(error.message).toMatch(
      /git\.example\.com refuses the token.*revoked.*Set GH_ENTERPRISE_TOKEN/,
    )
  })

  it('names the permission that is missing, and where to sign on', async () => {
    let headers: Record<string, string> = {
      'x-accepted-github-permissions': 'pull_requests=write,contents=read; administration=write',
    }
    const { client } = await open((_, response) =>
      json(response, 403, { message: 'Resource not accessible by personal access token' }, headers),
    )
    const permission = await failure(client.rest('POST /repos/{owner}/{repo}/pulls', {}))
    expect(permission).toMatchObject({ code: 'FORGE_DENIED', facts: { status: 403 } })
    expect(permission.message).toContain(
      '“Pull requests: write” and “Contents: read”, or “Administration: write” for octo/widgets',
    )
    headers = {
      'x-github-sso':
        'required; url=https://git.example.com/orgs/octo/sso?authorization_request=abc',
    }
    expect((await failure(client.rest(PULL, { pull_number: 1 }))).message).toContain(
      'authorize the token at https://git.example.com/orgs/octo/sso?authorization_request=abc',
    )
  })

  it('distinguishes a repository that is gone from a pull request that is', async () => {
    let there = true
    const { client } = await open(({ url }, response) =>
      url === '/repos/octo/widgets' && there
        ? json(response, 200, { id: 1 })
        : json(response, 404, { message: 'Not Found' }),
    )
    expect(await failure(client.rest(PULL, { pull_number: 7 }))).toMatchObject({
      code: 'PR_NOT_FOUND',
      message: expect.stringContaining('#7'),
    })
    expect((await client.rest(PULL, { pull_number: 7 }, { accept: [404] })).status).toBe(404)
    there = false
    expect(await failure(client.rest(PULL, { pull_number: 7 }, { accept: [404] }))).toMatchObject({
      code: 'FORGE_DENIED',
      facts: { status: 404 },
    })
  })

  it('takes a query’s missing repository for what it is, and half an answer for half an answer', async () => {
    let errors: unknown[] = [
      { type: 'NOT_FOUND', path: ['repository'], message: 'Could not resolve to a Repository' },
    ]
    const { client } = await open((_, response) =>
      json(response, 200, { data: { repository: null, nodes: [null, { id: 'a' }] }, errors }),
    )
    expect(await failure(client.graphql('query Q($owner: String!) { x }'))).toMatchObject({
      code: 'FORGE_DENIED',
    })
    errors = [{ message: 'Something is off', path: ['nodes', 0] }]
    expect(await client.graphql('query Q { x }')).toEqual({
      data: { repository: null, nodes: [null, { id: 'a' }] },
      errors: [{ type: null, message: 'Something is off', path: ['nodes', 0] }],
    })
  })

  it('passes on why something is refused', async () => {
    const { client } = await open((_, response) =>
      json(response, 422, {
        message: 'Validation Failed',
        errors: [
          { resource: 'PullRequest', field: 'base', code: 'invalid' },
          { message: 'No way' },
        ],
      }),
    )
    expect(await failure(client.rest('POST /repos/{owner}/{repo}/pulls', {}))).toMatchObject({
      code: 'INVALID_ARG',
      message: expect.stringContaining('base invalid; No way'),
    })
  })
})

describe('(20.15) the account of an app’s token', () => {
  it('is the bot, also where GitHub leaves that out of its name, and its next token keeps to the limits of the last', async () => {
    const { client, token, asked } = await open(({ headers }, response) =>
      headers.authorization?.includes('limited') === true
        ? json(
            response,
            403,
            { message: 'You have exceeded a secondary rate limit.' },
            { 'retry-after': '600' },
          )
        : json(response, 200, { data: { viewer: { login: 'exo' } } }),
    )
    expect(await client.viewer()).toBe('exo')
    token.value = 'ghs_0123456789abcdefghij'
    expect(await client.viewer()).toBe('exo[bot]')
    token.value = 'ghs_limited0123456789abcdef'
    expect(await failure(client.viewer())).toMatchObject({ code: 'FORGE_UNAVAILABLE' })
    token.value = 'ghs_0123456789abcdefghijkl'
    expect(await failure(client.viewer())).toMatchObject({ code: 'FORGE_UNAVAILABLE' })
    expect(asked).toHaveLength(3)
  })
})

describe('health', () => {
  it('says in words that nothing answers', async () => {
    const { client, server, url } = await open((_, response) => json(response, 200, {}))
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    const error = await failure(client.rest(PULL, { pull_number: 7 }))
    expect(error).toMatchObject({ code: 'FORGE_UNAVAILABLE' })
    expect(error.message).toMatch(/git\.example\.com.*can’t be reached: it refuses the connection/)
    expect(error.message).not.toContain(url)
  })

  it('takes a login page, cut off data and a dropped connection for no answer', async () => {
    let broken: Handler = (_, response) =>
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end('<html>Sign in to the hotel</html>')
    const { client } = await open((asked, response) => broken(asked, response))
    const page = await failure(client.rest(PULL, { pull_number: 7 }))
    expect(page).toMatchObject({
      code: 'FORGE_UNAVAILABLE',
      message: expect.stringContaining('is not its API'),
    })
    expect(
      await failure(client.rest(PULL, { pull_number: 7, mediaType: { format: 'diff' } })),
    ).toMatchObject({ code: 'FORGE_UNAVAILABLE' })
    expect(await failure(client.graphql('query Q { x }'))).toMatchObject({
      code: 'FORGE_UNAVAILABLE',
    })
    broken = (_, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"number": ')
    expect(await failure(client.rest(PULL, { pull_number: 7 }))).toMatchObject({
      code: 'FORGE_UNAVAILABLE',
    })
    broken = (_, response) => void response.destroy()
    expect(await failure(client.rest(PULL, { pull_number: 7 }))).toMatchObject({
      code: 'FORGE_UNAVAILABLE',
      message: expect.stringContaining('ended the connection'),
    })
  })

  it('waits for nothing any more once it is closed', async () => {
    const { client, asked } = await open(() => {})
    const [reading, writing] = [
      failure(client.rest(PULL, { pull_number: 7 })),
      failure(client.rest('POST /repos/{owner}/{repo}/pulls', {})),
    ]
    await waitFor('both to be under way', () => asked.length === 2)
    client.close()
    expect(await reading).toMatchObject({
      code: 'FORGE_UNAVAILABLE',
      message: expect.stringContaining('exomonad is stopping'),
    })
    expect(await writing).toMatchObject({ code: 'FORGE_UNAVAILABLE' })
    expect(await failure(client.viewer())).toMatchObject({ code: 'FORGE_UNAVAILABLE' })
    expect(asked).toHaveLength(2)
  })

  it('reads no answer without end', async () => {
    const { client } = await open((_, response) => {
      const more = (): void => {
        while (response.write('x'.repeat(1024 * 1024)));
        response.once('drain', more)
      }
      response.writeHead(200, { 'content-type': 'application/json' })
      more()
    })
    expect(await failure(client.rest(PULL, { pull_number: 7 }))).toMatchObject({
      code: 'FORGE_UNAVAILABLE',
      message: expect.stringContaining('more than 32 MB'),
    })
  })

  it('reads texts where texts were asked for', async () => {
    const { client, asked } = await open((_, response) =>
      response
        .writeHead(200, { 'content-type': 'application/vnd.github.diff; charset=utf-8' })
        .end('diff --git'),
    )
    expect((await client.rest(PULL, { pull_number: 7, mediaType: { format: 'diff' } })).data).toBe(
      'diff --git',
    )
    expect(asked[0]?.headers.accept).toContain('diff')
  })

  it('keeps a token that is echoed out of errors and logs', async () => {
    const { client, lines } = await open(({ url, headers }, response) =>
      url === '/repos/octo/widgets'
        ? json(response, 200, {})
        : json(response, 422, {
            message: `no good: ${headers.authorization}`,
            errors: [TOKEN, { message: TOKEN }],
          }),
    )
    const error = await failure(client.rest('POST /repos/{owner}/{repo}/pulls', { title: 'x' }))
    expect(error.message).toContain('[redacted]')
    expect(
      `${error.message} ${error.stack} ${JSON.stringify(error)} ${JSON.stringify(error.cause ?? null)} ${lines.join('')}`,
    ).not.toContain(TOKEN)
  })
})
