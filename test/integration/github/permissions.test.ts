import { describe, expect, it, onTestFinished } from 'vitest'
import { createGithubClient } from '../../../src/adapters/forge/github/client/create.ts'
import { checkPermissions } from '../../../src/adapters/forge/github/setup/permissions.ts'
import { repositoryAt } from '../../../src/adapters/forge/github/setup/api-host.ts'
import { silentLog } from '../../../src/runtime/log.ts'
import { startFakeGithub } from '../../fixtures/github/server.ts'
import { tempRepository } from '../../helpers/temp-repository.ts'

/** The fake with a first commit, and a look at what a token may do there. */
async function prepare() {
  const fake = await startFakeGithub()
  onTestFinished(() => fake.close())
  const repository = await tempRepository()
  onTestFinished(() => repository.remove())
  await repository.git('push', '-q', fake.bare, 'HEAD:refs/heads/main')
  const at = repositoryAt({
    host: fake.url.replace('http://', ''),
    owner: fake.owner,
    name: fake.name,
    transport: 'http',
  })
  expect([at.apiUrl, at.graphqlUrl]).toEqual([fake.apiUrl, fake.graphqlUrl])
  const check = (token: string) =>
    checkPermissions(
      createGithubClient({
        repository: at,
        token: () => Promise.resolve(token),
        settings: () => ({
          trustedBots: [],
          copilotReview: false,
          reserve: 0,
          checksExpectedWithin: 0,
        }),
        clock: Date.now,
        log: silentLog(),
        userAgent: 'exomonad/test',
        retryDelay: 1,
      }),
      at,
    )
  /** Permission → state. */
  const states = async (token: string) => {
    const found = await check(token)
    if (found.kind !== 'checked') throw new Error(JSON.stringify(found))
    return Object.fromEntries(found.permissions.map(({ permission, state }) => [permission, state]))
  }
  const refs = () => repository.gitIn(fake.bare, 'for-each-ref')
  return { fake, check, states, refs }
}

const ALL = {
  pull_requests: 'write',
  contents: 'write',
  checks: 'read',
  actions: 'read',
  statuses: 'read',
} as const
const GOOD = {
  'Pull requests: read': 'ok',
  'Pull requests: write': 'ok',
  'Contents: write': 'ok',
  'Checks: read': 'ok',
  'Actions: read': 'ok',
  'Branch rules: read': 'ok',
  'Squash merges': 'ok',
  'Merge commits': 'ok',
  'Copilot reviews': 'unknown',
}

describe('what a token may do', () => {
  it('is found out by doing it, and nothing is changed by that', async () => {
    const { fake, check, states, refs } = await prepare()
    const before = await refs()
    expect(await check(fake.token)).toMatchObject({
      kind: 'checked',
      account: 'robot',
      budget: { requests: { remaining: expect.any(Number) } },
    })
    expect(await states(fake.token)).toEqual(GOOD)
    expect(
      await states(fake.addToken({ login: 'octo', kind: 'fine-grained', permissions: ALL })),
    ).toEqual(GOOD)
    expect(await refs()).toBe(before)
    expect([fake.state.pulls.size, fake.state.statuses.length, fake.state.reviews.length]).toEqual([
      0, 0, 0,
    ])
  })

  it('is reported permission by permission of a fine-grained token, each with what to give it', async () => {
    const { fake, check, states } = await prepare()
    const token = (permissions: Readonly<Record<string, 'read' | 'write'>>) =>
      fake.addToken({ login: 'octo', kind: 'fine-grained', permissions })
    expect(await states(token({ ...ALL, contents: 'read' }))).toEqual({
      ...GOOD,
      'Contents: write': 'missing',
    })
    expect(await states(token({ ...ALL, pull_requests: 'read' }))).toEqual({
      ...GOOD,
      'Pull requests: write': 'missing',
    })
    const { checks: _checks, ...withoutChecks } = ALL
    const found = await check(token(withoutChecks))
    expect(
      found.kind === 'checked' &&
        found.permissions.find(({ permission }) => permission === 'Checks: read'),
    ).toMatchObject({
      state: 'missing',
      needed: false,
      why: expect.stringContaining('only the runs of Actions'),
    })
    const nothing = await check(token({ contents: 'read' }))
    expect(
      nothing.kind === 'checked' && nothing.permissions.filter(({ state }) => state === 'missing'),
    ).toMatchObject([
      {
        permission: 'Pull requests: read',
        fix: 'Give the token “Pull requests: read and write” for octo/widgets',
      },
      { permission: 'Pull requests: write', needed: true },
      {
        permission: 'Contents: write',
        needed: true,
        fix: 'Give the token “Contents: read and write” for octo/widgets',
      },
      { permission: 'Checks: read', fix: 'Give the token “Actions: read” for octo/widgets' },
      { permission: 'Actions: read', needed: false },
    ])
  })

  it('is what its account may, of a classic one', async () => {
    const { fake, states } = await prepare()
    fake.addUser('reader', 'read')
    expect(await states(fake.addToken({ login: 'reader' }))).toMatchObject({
      'Pull requests: read': 'ok',
      'Pull requests: write': 'missing',
      'Contents: write': 'missing',
      // GitHub shows its settings to those who may write.
      'Squash merges': 'unknown',
    })
  })

  it('is nothing where GitHub refuses it, does not have the repository, or is not there', async () => {
    const { fake, check } = await prepare()
    const bad = await check('ghp_mistyped')
    expect(bad).toMatchObject({
      kind: 'refused',
      reason: expect.stringContaining('refuses the token'),
    })
    fake.state.repository.private = true
    fake.addUser('stranger', 'none')
    expect(await check(fake.addToken({ login: 'stranger' }))).toMatchObject({
      kind: 'refused',
      reason: expect.stringContaining('no repository octo/widgets'),
    })
    await fake.down()
    const away = await check(fake.token)
    expect(away).toMatchObject({
      kind: 'unreachable',
      reason: expect.stringContaining('can’t be reached'),
    })
    expect(JSON.stringify([bad, away])).not.toContain('ghp_')
  })

  it('is unknown, not missing, where an answer fails or a limit is used up', async () => {
    const { fake, check, states } = await prepare()
    fake.fail(/check-runs|POST .*\/pulls$/, { kind: 'status', status: 502 }, 20)
    const token = fake.addToken({ login: 'octo', kind: 'fine-grained', permissions: ALL })
    expect(await states(token)).toEqual({
      ...GOOD,
      'Checks: read': 'unknown',
      'Pull requests: write': 'unknown',
    })
    fake.heal()
    fake.setLimit('core', { remaining: 0, resetAt: Date.now() + 600_000 })
    expect(await check(token)).toMatchObject({
      kind: 'unreachable',
      reason: expect.stringContaining('limit'),
    })
  })
})
