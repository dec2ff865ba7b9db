import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { createSchemaCheck } from '../../fixtures/github/schemas/validate.ts'
import { startFakeGithub } from '../../fixtures/github/server.ts'
import { githubForTest } from '../../helpers/github/fake-github.ts'

/** Every answer in this file is held to GitHub’s own description of its API. */
const { answered, violations } = createSchemaCheck()
afterEach(() => expect(violations.splice(0)).toEqual([]))

describe('answers', () => {
  test('come in pages, which name their neighbours', async () => {
    const { fake, api, pull } = await githubForTest({ answered })
    const { number } = await pull('feature', { 'a.txt': 'a\n' })
    for (let index = 1; index <= 35; index++)
      await fake.as('robot').comment(number, `Comment ${index}`)
    const first = await api('GET', `/issues/${number}/comments`)
    expect(first.body).toHaveLength(30)
    const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
    const second = await fetch(next)
    expect(((await second.json()) as { body: string }[]).map(({ body }) => body)).toEqual(
      [31, 32, 33, 34, 35].map((index) => `Comment ${index}`),
    )
    expect(second.headers.get('link')).toMatch(/rel="prev".*rel="first"/)
    expect(
      (await api('GET', `/issues/${number}/comments?per_page=100`)).headers.get('link'),
    ).toBeNull()
  })

  test('that did not change are answered as unchanged, and cost nothing', async () => {
    const { fake, api, pull } = await githubForTest({ answered })
    const { number } = await pull('feature', { 'a.txt': 'a\n' })
    const before = await api('GET', `/issues/${number}/comments`)
    const headers = { 'if-none-match': before.headers.get('etag') ?? '' }
    const remaining = Number(before.headers.get('x-ratelimit-remaining'))
    const same = await api('GET', `/issues/${number}/comments`, undefined, { headers })
    expect(same).toMatchObject({ status: 304, body: '' })
    expect(Number(same.headers.get('x-ratelimit-remaining'))).toBe(remaining)
    await fake.as('robot').comment(number, 'New')
    const other = await api('GET', `/issues/${number}/comments`, undefined, { headers })
    expect(other.status).toBe(200)
    expect(Number(other.headers.get('x-ratelimit-remaining'))).toBe(remaining - 1)
  })

  test('of a renamed repository lead to its new name', async () => {
    const { fake, api, pull, repository } = await githubForTest({ answered })
    const { number } = await pull('feature', { 'a.txt': 'a\n' })
    const old = '//repos/octo/widgets'
    fake.rename('octo', 'gadgets')
    const get = await api('GET', `${old}/pulls/${number}`)
    expect(get).toMatchObject({ status: 301, body: { message: 'Moved Permanently' } })
    expect(get.headers.get('location')).toBe(`${fake.apiUrl}/repositories/1001/pulls/${number}`)
    const followed = await fetch(get.headers.get('location') ?? '')
    expect(await followed.json()).toMatchObject({
      number,
      head: { repo: { full_name: 'octo/gadgets' } },
    })
    expect((await api('PATCH', `${old}/pulls/${number}`, { title: 'New' })).status).toBe(307)
    expect(await repository.git('ls-remote', 'origin', 'main')).toContain('refs/heads/main')
    expect((await api('GET', '//repos/octo/nothing')).status).toBe(404)
  })
})

describe('tokens', () => {
  test('that are bad, revoked or missing are distinguished', async () => {
    const { fake, api, pull } = await githubForTest({ answered })
    const { number } = await pull('feature', { 'a.txt': 'a\n' })
    expect(await api('GET', '', undefined, { token: 'ghp_wrong' })).toMatchObject({
      status: 401,
      body: { message: 'Bad credentials', status: '401' },
    })
    expect((await api('GET', '', undefined, { token: null })).status).toBe(200)
    expect(await api('PATCH', `/pulls/${number}`, {}, { token: null })).toMatchObject({
      status: 401,
      body: { message: 'Requires authentication' },
    })
    fake.state.repository.private = true
    expect((await api('GET', '', undefined, { token: null })).status).toBe(404)
    fake.addUser('stranger', 'none')
    expect(
      (await api('GET', '', undefined, { token: fake.addToken({ login: 'stranger' }) })).status,
    ).toBe(404)
    fake.revokeToken(fake.token)
    expect((await api('GET', '')).status).toBe(401)
  })

  test('may what their owner may, and fine-grained ones what they name', async () => {
    const { fake, api, pull } = await githubForTest({ answered })
    const { number, sha } = await pull('feature', { 'a.txt': 'a\n' })
    fake.addUser('reader', 'read')
    const reader = fake.addToken({ login: 'reader' })
    expect((await api('PUT', `/pulls/${number}/merge`, {}, { token: reader })).status).toBe(403)
    expect(
      (
        await api(
          'POST',
          `/pulls/${number}/reviews`,
          { event: 'COMMENT', body: 'Hm' },
          { token: reader },
        )
      ).status,
    ).toBe(200)

    const token = fake.addToken({
      login: 'robot',
      kind: 'fine-grained',
      permissions: { contents: 'read', pull_requests: 'write' },
    })
    const refused = await api('GET', `/commits/${sha}/check-runs`, undefined, { token })
    expect(refused).toMatchObject({
      status: 403,
      body: { message: 'Resource not accessible by personal access token' },
    })
    expect(refused.headers.get('x-accepted-github-permissions')).toBe('checks=read')
    expect((await api('PUT', `/pulls/${number}/merge`, {}, { token })).status).toBe(403)
    expect((await api('PATCH', `/pulls/${number}`, { title: 'New' }, { token })).status).toBe(200)
    expect((await api('GET', '//user')).headers.get('x-oauth-scopes')).toContain('repo')
    expect(
      (await api('GET', '//user', undefined, { token })).headers.get('x-oauth-scopes'),
    ).toBeNull()
  })
})

describe('limits', () => {
  test('of requests are counted, and end when they are reset', async () => {
    let now = Date.UTC(2026, 0, 1)
    const { fake, api } = await githubForTest({ answered, clock: () => now })
    const resetAt = now + 600_000
    fake.setLimit('core', { limit: 10, remaining: 1, resetAt })
    expect((await api('GET', '')).headers.get('x-ratelimit-remaining')).toBe('0')
    const over = await api('GET', '')
    expect(over.status).toBe(403)
    expect(over.body.message).toMatch(/^API rate limit exceeded/)
    expect(over.headers.get('x-ratelimit-reset')).toBe(String(resetAt / 1000))
    expect((await api('GET', '//rate_limit')).body.resources.core).toMatchObject({
      limit: 10,
      remaining: 0,
      used: 10,
    })
    now = resetAt
    expect((await api('GET', '')).headers.get('x-ratelimit-remaining')).toBe('9')
  })

  test('of what is too much at once say when to come back', async () => {
    const { fake, api } = await githubForTest({ answered })
    fake.fail(/GET/, { kind: 'secondary', retryAfter: 30 })
    const over = await api('GET', '')
    expect(over.status).toBe(403)
    expect(over.body.message).toMatch(/^You have exceeded a secondary rate limit/)
    expect(over.headers.get('retry-after')).toBe('30')
    expect((await api('GET', '')).status).toBe(200)
  })
})

describe('faults', () => {
  test('come as they were asked for, before or after what they are about', async () => {
    const { fake, api, pull } = await githubForTest({ answered })
    const { number } = await pull('feature', { 'a.txt': 'a\n' })
    fake.fail(/POST .*\/comments/, { kind: 'status', status: 502, after: true })
    fake.fail(/POST .*\/comments/, { kind: 'drop' }, 2)
    expect((await api('POST', `/issues/${number}/comments`, { body: 'Once' })).status).toBe(502)
    await expect(api('POST', `/issues/${number}/comments`, { body: 'Never' })).rejects.toThrow(
      'fetch failed',
    )
    fake.heal()
    fake.fail(/GET/, { kind: 'garbage' })
    await expect(api('GET', '')).rejects.toThrow(SyntaxError)
    expect((await api('GET', `/issues/${number}/comments`)).body).toMatchObject([{ body: 'Once' }])
    expect(
      fake.calls
        .filter(({ path, method }) => method === 'POST' && path.includes('/comments'))
        .map(({ status }) => status),
    ).toEqual([502, 0])
  })

  test('come for a share of all calls, the same for the same seed', async () => {
    const statuses = async (seed: number): Promise<number[]> => {
      const fake = await startFakeGithub({ seed, failing: 0.3 })
      onTestFinished(() => fake.close())
      for (let index = 0; index < 40; index++)
        await fetch(`${fake.apiUrl}/repos/octo/widgets`).catch(() => null)
      return fake.calls.map(({ status }) => status)
    }
    const first = await statuses(1)
    expect(new Set(first).size).toBeGreaterThan(3)
    expect(await statuses(1)).toEqual(first)
    expect(await statuses(2)).not.toEqual(first)
  })

  test('take it from the net and bring it back, on its port', async () => {
    const { fake, api } = await githubForTest({ answered })
    await fake.down()
    await expect(api('GET', '')).rejects.toThrow('fetch failed')
    await fake.up()
    expect((await api('GET', '')).status).toBe(200)
  })

  test('of the staff take pull requests away', async () => {
    const { fake, api, pull } = await githubForTest({ answered })
    const { number } = await pull('feature', { 'a.txt': 'a\n' })
    fake.removePull(number)
    expect((await api('GET', `/pulls/${number}`)).status).toBe(404)
    expect((await pull('second', { 'b.txt': 'b\n' })).number).toBe(number + 1)
  })
})
