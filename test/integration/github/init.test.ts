import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { FakeGithub } from '../../fixtures/github/fake.ts'
import { startFakeGithub } from '../../fixtures/github/server.ts'
import { startExomonad, type Exomonad } from '../../helpers/daemon.ts'

interface Setting {
  readonly tree: Exomonad
  readonly fake: FakeGithub
  /** `exomonad init`, in a repository without a configuration. */
  init(
    args?: readonly string[],
    env?: Readonly<Record<string, string>>,
  ): ReturnType<Exomonad['run']>
  config(): string
}

/** A repository whose `origin` is the fake GitHub, and nothing of exomonad in it yet. */
async function prepare({ workflow }: { workflow?: string } = {}): Promise<Setting> {
  const fake = await startFakeGithub()
  onTestFinished(() => fake.close())
  const tree = await startExomonad({ init: false })
  onTestFinished(() => tree.stop())
  const { path } = tree.repository
  rmSync(join(path, '.exomonad'), { recursive: true })
  if (workflow !== undefined) {
    mkdirSync(join(path, '.github', 'workflows'), { recursive: true })
    writeFileSync(join(path, '.github', 'workflows', 'ci.yml'), workflow)
  }
  await tree.repository.git('remote', 'add', 'origin', fake.cloneUrl)
  return {
    tree,
    fake,
    init: (args = ['--json'], env = { GH_ENTERPRISE_TOKEN: fake.token, GH_HOST: hostOf(fake) }) =>
      tree.command(['init', ...args], { env }),
    config: () => readFileSync(join(path, '.exomonad', 'config.toml'), 'utf8'),
  }
}

const hostOf = ({ url }: FakeGithub): string => url.replace('http://', '')

describe('exomonad init with GitHub', () => {
  it('chooses GitHub where a remote and a token for it are there, says what is missing, and shows the token to nobody', async () => {
    const { tree, fake, init, config } = await prepare({
      workflow: 'on:\n  pull_request:\n    branches: [main]\njobs: {}\n',
    })
    fake.state.repository.allowSquash = false
    const { code, json, stdout, stderr } = await init()
    expect([code, stderr]).toEqual([0, ''])
    expect(json.forge).toMatchObject({
      kind: 'github',
      github: { host: hostOf(fake), repository: 'octo/widgets', remote: 'origin' },
      token: 'the variable GH_ENTERPRISE_TOKEN',
      account: 'robot',
      change: null,
      missing: [{ permission: 'Squash merges' }],
      workflows: [
        {
          path: '.github/workflows/ci.yml',
          line: 3,
          problem: expect.stringContaining('not against main.feature'),
        },
      ],
    })
    expect(config()).toContain(
      `[forge]\nkind = "github"\n[forge.github]\nhost = "${hostOf(fake)}"\n`,
    )
    for (const text of [stdout, config()]) expect(text).not.toContain(fake.token)
    // Nothing was made there: not by looking at what may be written either.
    expect(fake.state.pulls.size).toBe(0)
    expect(
      fake.calls.filter(
        ({ method, path, status }) =>
          method !== 'GET' && path !== '/graphql' && !path.endsWith('graphql') && status < 400,
      ),
    ).toEqual([])
    expect(await tree.repository.gitIn(fake.bare, 'for-each-ref')).toBe('')

    const again = await init([])
    expect(again.stdout).toContain(
      `github: octo/widgets on ${hostOf(fake)}, remote origin, as robot (token: the variable GH_ENTERPRISE_TOKEN)`,
    )
    expect(again.stdout).toContain('.github/workflows/ci.yml:3 runs on pull requests against')
    expect(again.stdout).not.toContain(fake.token)
  }, 240_000)

  it('chooses the local forge and says why where no token is found or GitHub refuses it; asked for GitHub it refuses', async () => {
    const { tree, fake, init, config } = await prepare()
    const refused = await init(['--forge', 'github', '--json'], { GH_HOST: hostOf(fake) })
    expect(refused).toMatchObject({
      code: 1,
      json: { code: 'FORGE_DENIED', error: expect.stringContaining('There is no token for') },
    })
    expect(existsSync(join(tree.repository.path, '.exomonad', 'config.toml'))).toBe(false)
    fake.revokeToken(fake.token)
    const revoked = await init(['--forge', 'github', '--json'])
    expect(revoked).toMatchObject({
      code: 1,
      json: { code: 'FORGE_DENIED', error: expect.stringContaining('refuses the token') },
    })
    const { code, json } = await init()
    expect(code).toBe(0)
    expect(json.forge).toMatchObject({
      kind: 'local',
      why: expect.stringContaining('refuses the token'),
      missing: [],
    })
    expect(config()).toContain('# [forge]\n# kind = "github"')
  }, 240_000)

  it('chooses the local forge in a clone of a repository that the account may only read', async () => {
    const { fake, init, config } = await prepare()
    fake.addUser('reader', 'read')
    const env = { GH_ENTERPRISE_TOKEN: fake.addToken({ login: 'reader' }), GH_HOST: hostOf(fake) }
    const { code, json } = await init(['--json'], env)
    expect(code).toBe(0)
    expect(json.forge).toMatchObject({
      kind: 'local',
      account: 'reader',
      why: expect.stringContaining('reader has no write access to it'),
      missing: [],
    })
    expect(config()).toContain('# [forge]\n# kind = "github"')
  }, 240_000)

  it('makes no request where no remote is on GitHub, or where the local forge is asked for', async () => {
    const { tree, fake, init } = await prepare()
    const local = await init(['--forge', 'local', '--json'])
    expect(local.json.forge).toMatchObject({ kind: 'local', why: null })
    expect(fake.calls).toEqual([])
    await tree.command(['deinit', '--force'])
    await tree.repository.git('remote', 'set-url', 'origin', fake.bare)
    const { stdout, code } = await init([])
    expect(code).toBe(0)
    expect(stdout).toContain('local: no remote is on GitHub: origin is no address of GitHub')
    expect(fake.calls).toEqual([])
    expect(await init(['--forge', 'elsewhere'])).toMatchObject({ code: 2 })
  }, 240_000)

  it('leaves a configuration that is there as it is, and says how to change it', async () => {
    const { fake, init, config } = await prepare()
    await init(['--forge', 'local'])
    const before = config()
    const auto = await init([])
    expect(auto.stdout).toContain(`octo/widgets on ${hostOf(fake)} could be used (remote origin)`)
    expect(auto.stdout).toContain(
      'write [forge] kind = "github" there, then `exomonad daemon stop`',
    )
    expect((await init(['--forge', 'github', '--json'])).json.forge).toMatchObject({
      kind: 'local',
      change: expect.stringContaining('is left as it is'),
    })
    expect(config()).toBe(before)
  }, 240_000)

  it('goes on where GitHub can’t be reached, and says that nothing was checked', async () => {
    const { fake, init } = await prepare()
    await fake.down()
    const { code, json } = await init(['--json'], {
      GH_ENTERPRISE_TOKEN: fake.token,
      GH_HOST: hostOf(fake),
    })
    expect(code).toBe(0)
    expect(json.forge).toMatchObject({
      kind: 'github',
      account: null,
      why: expect.stringContaining('what the token may do was not checked'),
    })
  }, 240_000)
})
