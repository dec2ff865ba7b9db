import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startFakeGithub } from '../../fixtures/github/server.ts'
import { startExomonad } from '../../helpers/daemon.ts'

/** A tree whose pull requests are on the fake GitHub. */
async function prepare({ committed = false } = {}) {
  const fake = await startFakeGithub()
  onTestFinished(() => fake.close())
  const host = fake.url.replace('http://', '')
  const settings = `[forge.github]\nhost = "${host}"\ntoken_file = "github-token"\n`
  const tree = await startExomonad({
    init: false,
    config: `[forge]\nkind = "github"\npoll_active = 0.5\npoll_idle = 0.5\n${settings}`,
  })
  onTestFinished(() => tree.stop())
  const folder = join(tree.repository.path, '.exomonad')
  const tokenFile = join(folder, 'github-token')
  const setToken = (token: string): void => writeFileSync(tokenFile, `${token}\n`, { mode: 0o600 })
  setToken(fake.token)
  await tree.repository.git('remote', 'add', 'origin', fake.cloneUrl)
  await tree.repository.git('push', '-q', fake.bare, 'HEAD:refs/heads/main')
  if (committed) await tree.repository.git('add', '-f', '.exomonad/config.toml')
  const init = await tree.command(['init', '--json'])
  expect(init).toMatchObject(
    committed ? { code: 1, json: { code: 'UNTRUSTED_CONFIG' } } : { code: 0 },
  )
  /** Findings of these subjects, without their fixes: `status found`. */
  const doctor = async (subjects: readonly string[], args: readonly string[] = []) => {
    const { json, stdout, stderr } = await tree.command(['doctor', '--json', ...args])
    expect(stdout + stderr).not.toContain(fake.token)
    return json.findings.filter(({ subject }: { subject: string }) =>
      subjects.includes(subject),
    ) as {
      subject: string
      status: string
      found: string
      fix?: string
    }[]
  }
  return { fake, host, tree, tokenFile, setToken, doctor, config: join(folder, 'config.toml') }
}

describe('exomonad doctor with GitHub', () => {
  it('reports repository, token, account, rights, limits, workflows and webhook, each with what to do', async () => {
    const { fake, host, tree, tokenFile, doctor, config } = await prepare()
    expect(
      await doctor(['forge', 'token', 'rights', 'limits', 'workflows', 'webhook', 'token file']),
    ).toMatchObject([
      { subject: 'forge', status: 'ok', found: `octo/widgets on ${host}, remote origin` },
      { subject: 'token', status: 'ok', found: `the file ${tokenFile}, account robot` },
      { subject: 'rights', status: 'ok', found: expect.stringContaining('Contents: write') },
      { subject: 'rights', status: 'note', found: expect.stringContaining('Copilot reviews') },
      {
        subject: 'limits',
        status: 'ok',
        found: expect.stringMatching(
          /of 5,000 GraphQL points, [\d,]+ of 5,000 REST requests left this hour/,
        ),
      },
    ])
    // What is wrong now.
    chmodSync(tokenFile, 0o644)
    mkdirSync(join(tree.repository.path, '.github', 'workflows'), { recursive: true })
    writeFileSync(
      join(tree.repository.path, '.github', 'workflows', 'ci.yml'),
      'on:\n  push:\n    branches: [main]\n',
    )
    fake.state.repository.allowSquash = false
    const written = `[forge.github]\nhost = "${host}"\ntoken_file = "github-token"\nwebhook_port = 7718\nwebhook_secret_file = "hook-secret"\n`
    writeFileSync(config, `[forge]\nkind = "github"\n${written}`)
    const found = await doctor(['rights', 'workflows', 'webhook', 'token file'])
    expect(found.filter(({ status }) => status !== 'ok' && status !== 'note')).toMatchObject([
      { subject: 'rights', status: 'warning', found: expect.stringContaining('Squash merges') },
      {
        subject: 'token file',
        status: 'problem',
        found: `others may use ${tokenFile} (mode 644)`,
        fix: `chmod 600 ${tokenFile}`,
      },
      { subject: 'webhook', status: 'problem', found: expect.stringContaining('hook-secret') },
      {
        subject: 'workflows',
        status: 'warning',
        found: expect.stringMatching(
          /^\.github\/workflows\/ci\.yml:3 runs only on pushes to 'main'/,
        ),
      },
    ])
    expect(await doctor(['token file'], ['--fix', '--yes'])).toEqual([])
    expect(statSync(tokenFile).mode & 0o777).toBe(0o600)
  }, 240_000)

  it('reports a token that is gone or revoked, what the daemon reported, and a configuration it has not begun with', async () => {
    const { fake, tree, setToken, doctor, config } = await prepare()
    fake.revokeToken(fake.token)
    expect(await doctor(['token'])).toMatchObject([
      { status: 'problem', found: expect.stringContaining('refuses the token') },
    ])
    setToken('')
    const [token] = await doctor(['token'])
    expect(token).toMatchObject({ status: 'problem', found: expect.stringContaining('is empty') })
    expect((await tree.command(['doctor'])).code).toBe(1)
    setToken(fake.addToken({ login: 'robot' }))
    await fake.down()
    expect(await doctor(['token'])).toMatchObject([
      { status: 'warning', found: expect.stringContaining('what it may do was not checked') },
    ])
    await fake.up()
    writeFileSync(config, '[forge]\nkind = "local"\n')
    const [changed] = await doctor(['forge'])
    expect(changed).toMatchObject({
      status: 'warning',
      found: expect.stringContaining(
        'works with github until it is started again; the configuration says local',
      ),
    })
  }, 240_000)

  it('shows no token to the host of a configuration that nobody trusted', async () => {
    const { fake, host, tree, doctor } = await prepare({ committed: true })
    expect(await doctor(['forge', 'token', 'rights', 'trust'])).toMatchObject([
      { subject: 'trust', status: 'problem' },
    ])
    expect(fake.calls).toEqual([])
    const trust = await tree.command(['trust'])
    expect(trust.stdout).toContain(`forge.github.host  the token is sent to ${host}`)
    expect(trust.stdout).toContain('forge.github.token_file  github-token holds the token')
    expect((await tree.command(['init', '--json'])).json.forge).toMatchObject({
      kind: 'github',
      account: 'robot',
    })
  }, 240_000)
})
