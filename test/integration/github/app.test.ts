import { generateKeyPairSync } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createGithubClient } from '../../../src/adapters/forge/github/client/create.ts'
import { createAppToken } from '../../../src/adapters/forge/github/setup/app-token.ts'
import { checkPermissions } from '../../../src/adapters/forge/github/setup/permissions.ts'
import { repositoryAt } from '../../../src/adapters/forge/github/setup/api-host.ts'
import type { BranchName, Sha } from '../../../src/domain/ids.ts'
import { silentLog } from '../../../src/runtime/log.ts'
import { startFakeGithub } from '../../fixtures/github/server.ts'
import { openGithubForge } from '../../helpers/github/github-forge.ts'
import { startGithubTree } from '../../helpers/github/github-tree.ts'
import { tempHome, tempRepository } from '../../helpers/temp-repository.ts'
import { waitFor } from '../../helpers/wait-for.ts'

const MINUTE = 60_000
const HEAD = 'main.a' as BranchName
const ALL = {
  pull_requests: 'write',
  contents: 'write',
  checks: 'read',
  statuses: 'read',
  actions: 'write',
  workflows: 'write',
} as const

/**
 * A fake GitHub with an app in its repository. `time`: GitHub’s, and how far this machine’s clock
 * is off it.
 */
async function prepare({
  installed = true,
  permissions = ALL as Readonly<Record<string, 'read' | 'write'>>,
} = {}) {
  const time = { now: Date.parse('2026-03-01T10:00:00Z'), off: 0 }
  const fake = await startFakeGithub({ clock: () => time.now })
  onTestFinished(() => fake.close())
  const { folder, remove } = tempHome()
  onTestFinished(remove)
  const { app, key } = fake.addApp({ slug: 'exo', permissions, installed })
  const keyFile = join(folder, 'app.pem')
  writeFileSync(keyFile, key, { mode: 0o600 })
  const repository = repositoryAt({
    host: fake.url.replace('http://', ''),
    owner: fake.owner,
    name: fake.name,
    transport: 'http',
  })
  const open = ({ id = app.id, installation = null as number | null } = {}) =>
    createAppToken({
      repository,
      app: { id, keyFile, installation },
      clock: () => time.now + time.off,
      userAgent: 'exomonad/test',
    })
  const clientOf = (token: Awaited<ReturnType<typeof open>>) =>
    createGithubClient({
      repository,
      token: () => token.read(),
      ...(token.app === undefined ? {} : { app: token.app }),
      settings: () => ({
        trustedBots: [],
        copilotReview: false,
        reserve: 0,
        checksExpectedWithin: 0,
      }),
      clock: () => time.now + time.off,
      log: silentLog(),
      userAgent: 'exomonad/test',
      retryDelay: 1,
    })
  /** Requests so far whose path ends so. */
  const asked = (end: string) => fake.calls.filter(({ path }) => path.endsWith(end)).length
  return { time, fake, app, keyFile, repository, open, clientOf, asked }
}

const accepted = async (url: string, token: string): Promise<boolean> =>
  (await fetch(`${url}/repos/octo/widgets`, { headers: { authorization: `Bearer ${token}` } }))
    .status === 200

describe('(20.15) the token of a GitHub App’s installation', () => {
  it('is got by the app’s key, for the installation that the repository is in, and renewed five minutes before it runs out, once for all who wait', async () => {
    const { time, fake, app, keyFile, open, asked } = await prepare()
    const token = await open()
    expect([token.source, token.file, token.app?.grant()]).toEqual([
      `app ${app.id} by its key ${keyFile}`,
      keyFile,
      null,
    ])
    expect(fake.calls).toEqual([])
    const together = await Promise.all([token.read(), token.read(), token.read()])
    const [first] = together
    expect(new Set(together).size).toBe(1)
    expect(await accepted(fake.apiUrl, first)).toBe(true)
    expect([asked('/installation'), asked('/access_tokens')]).toEqual([1, 1])
    expect(token.app?.grant()).toMatchObject({
      installation: app.installation?.id,
      expiresAt: time.now + 60 * MINUTE,
      permissions: { pull_requests: 'write', metadata: 'read' },
    })

    time.now += 54 * MINUTE
    expect(await token.read()).toBe(first)
    time.now += 2 * MINUTE
    const later = await Promise.all([token.read(), token.read()])
    expect(later[0]).toBe(later[1])
    expect(later[0]).not.toBe(first)
    expect([asked('/installation'), asked('/access_tokens')]).toEqual([1, 2])
  })

  it('counts to its end where it can’t be renewed yet, and not a moment longer', async () => {
    const { time, fake, open } = await prepare()
    const token = await open()
    const first = await token.read()
    time.now += 57 * MINUTE
    fake.fail(/access_tokens/, { kind: 'status', status: 503 }, 2)
    expect(await token.read()).toBe(first)
    // Not tried again with every request.
    expect(await token.read()).toBe(first)
    time.now += 31_000
    expect(await token.read()).toBe(first)
    expect(fake.calls.filter(({ status }) => status === 503)).toHaveLength(2)
    time.now += 3 * MINUTE
    fake.fail(/access_tokens/, { kind: 'status', status: 503 })
    await expect(token.read()).rejects.toMatchObject({ code: 'FORGE_UNAVAILABLE' })
    expect(await token.read()).not.toBe(first)
  })

  it.each([25 * MINUTE, -25 * MINUTE])(
    'is got and renewed in time where this machine’s clock is off by %d ms',
    async (off) => {
      const { time, fake, open } = await prepare()
      time.off = off
      const token = await open()
      const first = await token.read()
      expect(await accepted(fake.apiUrl, first)).toBe(true)
      time.now += 54 * MINUTE
      expect(await token.read()).toBe(first)
      time.now += 2 * MINUTE
      expect(await token.read()).not.toBe(first)
      // A clock that is set back afterwards makes nothing count for longer.
      time.off -= 120 * MINUTE
      time.now += 65 * MINUTE
      expect(await accepted(fake.apiUrl, await token.read())).toBe(true)
    },
  )

  it('follows an app that is installed anew, and a repository that is renamed', async () => {
    const { time, fake, app, open } = await prepare()
    const token = await open()
    await token.read()
    app.installation = { ...app.installation!, id: 987_654 }
    time.now += 56 * MINUTE
    expect(await accepted(fake.apiUrl, await token.read())).toBe(true)
    expect(token.app?.grant()?.installation).toBe(987_654)
    fake.rename('octo', 'gadgets')
    time.now += 56 * MINUTE
    const renamed = await token.read()
    const answer = await fetch(`${fake.apiUrl}/repos/octo/gadgets`, {
      headers: { authorization: `Bearer ${renamed}` },
    })
    expect(answer.status).toBe(200)
  })

  it('says what is wrong with the key, the id or the installation', async () => {
    const { fake, app, keyFile, open } = await prepare()
    const refusal = async (options: Parameters<typeof open>[0] = {}) => {
      const token = await open(options)
      const error = await token.read().then(
        () => null,
        (thrown: unknown) => thrown as Error & { code: string },
      )
      return [error?.code, error?.message, token.source === null] as const
    }
    const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
      type: 'pkcs8',
      format: 'pem',
    })
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
      type: 'pkcs8',
      format: 'pem',
    })
    const right = readFileSync(keyFile, 'utf8')

    for (const [text, words] of [
      ['ghp_0123', 'is no private key in PEM form'],
      [
        '-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----\n',
        'holds no private key that can be read',
      ],
      [String(other), 'GitHub’s are RSA'],
    ] as const) {
      writeFileSync(keyFile, text)
      expect(await refusal()).toEqual(['FORGE_DENIED', expect.stringContaining(words), true])
    }
    expect(fake.calls).toEqual([])
    writeFileSync(keyFile, key)
    const [code, message] = await refusal()
    expect([code, message]).toEqual([
      'FORGE_DENIED',
      expect.stringContaining(
        `doesn’t take the key in ${keyFile} for app ${app.id}: A JSON web token could not be decoded`,
      ),
    ])
    expect(message).not.toContain('eyJ')
    writeFileSync(keyFile, right)
    expect(await refusal({ id: 4 })).toEqual([
      'FORGE_DENIED',
      expect.stringContaining('has no app 4'),
      false,
    ])
    expect(await refusal({ installation: 4 })).toEqual([
      'FORGE_DENIED',
      expect.stringContaining('has no installation 4'),
      false,
    ])

    app.installation!.hasRepository = false
    const where = `not installed in octo/widgets on ${fake.url.replace('http://', '')}, or was not given this repository. Install it there, or give it the repository, at ${fake.url}/apps/exo/installations/new`
    for (const installation of [null, app.installation!.id]) {
      expect(await refusal({ installation })).toEqual([
        'FORGE_DENIED',
        expect.stringContaining(where),
        false,
      ])
    }
    app.installation!.hasRepository = true
    app.installation!.suspendedAt = 1
    for (const installation of [null, app.installation!.id]) {
      expect(await refusal({ installation })).toEqual([
        'FORGE_DENIED',
        expect.stringContaining(`Installation ${app.installation!.id} of app ${app.id}`),
        false,
      ])
    }
  })

  it('is renewed where GitHub took it back before its time, and what it was for is sent again; the account is a bot', async () => {
    const { time, fake, open, clientOf, asked } = await prepare()
    const token = await open()
    const client = clientOf(token)
    expect(await client.viewer()).toBe('exo[bot]')
    const first = await token.read()
    time.now += 10 * MINUTE
    fake.revokeToken(first)
    expect((await client.rest('GET /repos/{owner}/{repo}')).status).toBe(200)
    expect([(await token.read()) === first, asked('/access_tokens')]).toEqual([false, 2])
    // One that is refused at once is not asked for again and again.
    fake.revokeToken(await token.read())
    await expect(client.rest('GET /repos/{owner}/{repo}')).rejects.toMatchObject({
      code: 'FORGE_DENIED',
      message: expect.stringContaining('has just given'),
    })
    expect(asked('/access_tokens')).toBe(2)
  })

  it('reports permission by permission what its installation lacks', async () => {
    const { time, fake, app, repository, open, clientOf } = await prepare({
      permissions: { pull_requests: 'write', contents: 'read' },
    })
    const local = await tempRepository()
    onTestFinished(() => local.remove())
    await local.git('push', '-q', fake.bare, 'HEAD:refs/heads/main')
    const token = await open()
    const found = await checkPermissions(clientOf(token), repository, { app: token.app })
    if (found.kind !== 'checked') throw new Error(JSON.stringify(found))
    expect(found).toMatchObject({
      account: 'exo[bot]',
      expiresAt: time.now + 60 * MINUTE,
      readOnly: null,
    })
    expect(
      found.permissions
        .filter(({ state }) => state === 'missing')
        .map(({ permission, needed }) => [permission, needed]),
    ).toEqual([
      ['Contents: write', true],
      ['Checks: read', false],
      ['Commit statuses: read', false],
      ['Actions: read', false],
      ['Actions: write', false],
      ['Workflows: write', false],
    ])
    expect(
      found.permissions.find(({ permission }) => permission === 'Contents: write'),
    ).toMatchObject({
      why: 'the app’s installation has only “read”: nothing is merged, and nothing pushed over https',
      fix: `Give the app “Contents: read and write” in its settings, then accept it in those of installation ${app.installation?.id}, which has octo/widgets`,
    })
    // It has asked for nothing that makes something.
    expect(
      fake.calls.filter(
        ({ method, path }) => method === 'POST' && !/access_tokens|graphql/.test(path),
      ),
    ).toEqual([])
  })
})

describe('(20.15) words of the app’s own account', () => {
  it('are believed however its login is written, and those of a person called as the app is are not', async () => {
    const found = await openGithubForge()
    onTestFinished(() => found.close())
    const { github, repository, git, reopen } = found
    const { app, key } = github.addApp({ slug: 'exo', permissions: ALL })
    const keyFile = join(repository.home, 'app.pem')
    writeFileSync(keyFile, key, { mode: 0o600 })
    const token = await createAppToken({
      repository: found.options.repository,
      app: { id: app.id, keyFile, installation: null },
      clock: Date.now,
      userAgent: 'exomonad/test',
    })
    const forge = reopen({ token: () => token.read(), app: token.app! })
    await repository.git('checkout', '-q', '-b', 'main.a')
    const headSha = (await repository.commit({ 'a.txt': 'a' }, 'Add a')) as Sha
    await git.push('origin', { sha: headSha, branch: HEAD, expected: null })
    const filed = await forge.file({
      title: 'A',
      body: '',
      head: HEAD,
      headSha,
      base: 'main' as BranchName,
      draft: false,
      agentId: null,
    })
    if (filed.kind !== 'filed') throw new Error(filed.kind)
    const { number } = filed
    expect(github.pull(number).author).toBe('exo[bot]')
    await forge.review({ number, author: 'human', state: 'approved', body: 'Good', comments: [] })
    const { body } = github.state.reviews.at(-1)!
    github.addUser('exo', 'none')
    await github.as('exo').review(number, {
      state: 'COMMENTED',
      body: body.replace('"approved"', '"changes_requested"'),
    })
    const look = async () => {
      const [result] = await forge.snapshots([number])
      if (result === undefined || !('snapshot' in result)) throw new Error(JSON.stringify(result))
      return result.snapshot
    }
    expect(await look()).toMatchObject({
      reviewDecision: 'approved',
      reviews: [
        { author: 'human', state: 'approved', trusted: true },
        { author: 'forge:exo', state: 'commented', trusted: false, body: '' },
      ],
    })
  })
})

describe('(20.15) a tree that an app speaks for', () => {
  it('pushes, files and merges with its tokens, and `doctor` reports the app, until when its token counts and what it lacks', async () => {
    const world = await startGithubTree({
      files: { 'README.md': '# Widgets\n' },
      credential: (github) => {
        const { app, key } = github.addApp({
          slug: 'exo',
          permissions: { ...ALL, actions: 'read' },
        })
        github.state.repository.private = true
        return {
          config: `app_id = ${app.id}\napp_key_file = "~/app.pem"`,
          files: { 'app.pem': key },
        }
      },
    })
    onTestFinished(() => world.stop())
    const { tree, github } = world
    tree.script('filer', {
      steps: [
        { do: 'write', path: 'a.txt', content: 'a' },
        { do: 'commit', message: 'Add a' },
        { do: 'tool', name: 'file_pr', input: { title: 'Work', body: 'Done' } },
      ],
    })
    await tree.call('spawn_workers', { specs: [{ name: 'filer', prompt: 'Nothing to do.' }] })
    await waitFor(
      'the filing to be answered',
      () => tree.log('filer').find((entry) => entry['name'] === 'file_pr')?.['answer'],
      { limit: 90_000 },
    )
    const pull = [...github.state.pulls.values()][0]!
    expect(pull).toMatchObject({ author: 'exo[bot]', headRef: 'main.filer' })
    const { code, stdout, stderr } = await tree.command(['pr', 'merge', 'filer', '--wait'])
    expect([code, stdout + stderr]).toEqual([0, expect.any(String)])
    expect(github.pull(pull.number)).toMatchObject({ merged: true, mergedBy: 'exo[bot]' })
    // No other token was used, and git was let in by the app’s as well.
    const tokens = github.calls.flatMap(({ token, path }) =>
      token === null ? [] : [[token, path] as const],
    )
    expect(tokens.filter(([token]) => !/^(ghs_|eyJ)/.test(token))).toEqual([])
    expect(
      tokens.some(
        ([token, path]) => token.startsWith('ghs_') && path.endsWith('/git-receive-pack'),
      ),
    ).toBe(true)

    const doctor = await tree.command(['doctor', '--json'])
    const of = (subject: string) =>
      doctor.json.findings.filter((finding: any) => finding.subject === subject)
    const [app] = github.state.apps
    expect(of('token')).toMatchObject([
      {
        status: 'ok',
        found: expect.stringMatching(
          new RegExp(
            `^app ${app?.id} by its key .*/app\\.pem, account exo\\[bot\\], counts until 20.*Z and renews itself$`,
          ),
        ),
      },
    ])
    expect(of('rights').filter(({ status }: any) => status === 'warning')).toMatchObject([
      {
        found:
          'Actions: write: the app’s installation has only “read”: failed jobs are not run again from here',
      },
    ])
    expect(doctor.stdout + doctor.stderr).not.toMatch(/ghs_|eyJ/)
  }, 240_000)
})
