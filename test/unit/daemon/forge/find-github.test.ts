import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { exec } from '../../../../src/processes/exec.ts'
import { openGit } from '../../../../src/adapters/git/open.ts'
import { gitEnvironment, readEnvironment } from '../../../../src/config/environment.ts'
import { parseConfig } from '../../../../src/config/load.ts'
import { findGithub } from '../../../../src/daemon/forge/find-github.ts'
import { tempHome, tempRepository } from '../../../helpers/temp-repository.ts'

interface Given {
  readonly remotes: Readonly<Record<string, string>>
  /** Of [forge.github]. */
  readonly config?: string
  readonly variables?: Readonly<Record<string, string>>
  /** Host names by alias, as `ssh -G` prints them. */
  readonly ssh?: Readonly<Record<string, string>>
  /** Hosts that `gh` is logged in to. */
  readonly gh?: readonly string[]
}

/** What is found where programs and remotes are these. */
async function find({ remotes, config = '', variables = {}, ssh = {}, gh = [] }: Given) {
  const { folder, env, home, remove } = tempHome()
  onTestFinished(remove)
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  const program = (name: string, cases: Readonly<Record<string, string>>): void => {
    const script = `#!/bin/sh\ncase "$*" in\n${Object.entries(cases)
      .map(([args, answer]) => `'${args}') echo '${answer}' ;;`)
      .join('\n')}\n*) exit 1 ;;\nesac\n`
    writeFileSync(join(bin, name), script)
    chmodSync(join(bin, name), 0o755)
  }
  program(
    'ssh',
    Object.fromEntries(
      Object.entries(ssh).map(([alias, host]) => [`-G -- ${alias}`, `hostname ${host}`]),
    ),
  )
  program(
    'gh',
    Object.fromEntries(
      gh.map((host) => [`auth token --hostname ${host}`, `kept for ${host}`.replaceAll(' ', '-')]),
    ),
  )
  const found = await findGithub({
    git: { remotes: () => Promise.resolve(new Map(Object.entries(remotes))) },
    exec,
    environment: readEnvironment({ ...env, PATH: bin, ...variables }),
    config: parseConfig(`[forge.github]\n${config}\n`, 'config.toml'),
    home,
  })
  if (found.kind === 'none') return found.reason
  const { repository, remote, token, enterprise } = found
  return {
    remote,
    host: repository.host,
    name: `${repository.owner}/${repository.name}`,
    api: repository.apiUrl,
    token: token.source,
    enterprise,
  }
}

const GITHUB = {
  remote: 'origin',
  host: 'github.com',
  name: 'octo/widgets',
  api: 'https://api.github.com',
  enterprise: false,
}
const AT = 'git.example.com'
const SERVER = {
  remote: 'origin',
  host: AT,
  name: 'octo/widgets',
  api: `https://${AT}/api/v3`,
  enterprise: true,
}

describe('the repository on GitHub', () => {
  it('is behind origin, or behind the only remote that is there', async () => {
    const origin = 'git@github.com:octo/widgets.git'
    expect(
      await find({
        remotes: { fork: 'https://github.com/me/widgets', origin },
        variables: { GH_TOKEN: 'x' },
      }),
    ).toEqual({
      ...GITHUB,
      token: 'the variable GH_TOKEN',
    })
    expect(
      await find({ remotes: { origin: '/srv/widgets.git', upstream: origin }, gh: ['github.com'] }),
    ).toEqual({
      ...GITHUB,
      remote: 'upstream',
      token: '`gh auth token`',
    })
    const several = { origin: '/srv/widgets.git', a: origin, b: 'https://github.com/me/widgets' }
    expect(await find({ remotes: several })).toBe(
      'several remotes are on GitHub: a (octo/widgets), b (me/widgets)',
    )
    expect(await find({ remotes: several, config: 'remote = "b"' })).toMatchObject({
      remote: 'b',
      name: 'me/widgets',
      token: null,
    })
    expect(await find({ remotes: several, config: 'remote = "c"' })).toBe(
      'there is no remote c, which forge.github.remote names',
    )
  })

  it('is none where no remote is one, with the reason', async () => {
    expect(await find({ remotes: {} })).toBe('there is no remote')
    expect(
      await find({
        remotes: { origin: '/srv/widgets.git', lab: 'git@gitlab.com:octo/widgets.git' },
      }),
    ).toBe(
      'no remote is on GitHub: origin is no address of GitHub; lab is on gitlab.com, which is not GitHub',
    )
    expect(await find({ remotes: { origin: 'https://github.com/octo' } })).toContain(
      'does not end in OWNER/NAME',
    )
    expect(
      await find({
        remotes: { origin: 'https://github.com/octo' },
        config: 'repository = "octo/widgets"',
      }),
    ).toMatchObject(GITHUB)
    expect(await find({ remotes: { origin: 'http://github.com/octo/widgets' } })).toContain(
      'uses plain http://',
    )
  })

  it('is found through an ssh alias, by ssh’s own reading of it or by the configured host', async () => {
    const remotes = { origin: 'git@github.com-work:octo/widgets.git' }
    expect(await find({ remotes, ssh: { 'github.com-work': 'ssh.github.com' } })).toMatchObject(
      GITHUB,
    )
    expect(await find({ remotes, config: 'host = "github.com"' })).toMatchObject(GITHUB)
    expect(await find({ remotes })).toContain(
      'github.com-work, which nothing says is an Enterprise Server',
    )
    expect(
      await find({
        remotes: { origin: 'lab:octo/widgets.git' },
        ssh: { lab: 'gitlab.com' },
        variables: { GH_ENTERPRISE_TOKEN: 'x' },
      }),
    ).toContain('no remote is on GitHub')
  })

  it('is on an Enterprise Server where the configuration or a token for that very host says so', async () => {
    const remotes = { origin: `ssh://git@${AT}:2222/octo/widgets.git` }
    expect(await find({ remotes, variables: { GH_TOKEN: 'x', GITHUB_TOKEN: 'y' } })).toContain(
      'nothing says is an Enterprise Server',
    )
    expect(
      await find({ remotes, config: `host = "${AT}"`, variables: { GH_ENTERPRISE_TOKEN: 'x' } }),
    ).toEqual({
      ...SERVER,
      token: 'the variable GH_ENTERPRISE_TOKEN',
    })
    expect(await find({ remotes, variables: { GH_HOST: AT } })).toEqual({ ...SERVER, token: null })
    expect(await find({ remotes, gh: [AT] })).toEqual({
      ...SERVER,
      token: `\`gh auth token\` for ${AT}`,
    })
    // ssh may be led to another address of it.
    expect(await find({ remotes, gh: [AT], ssh: { [AT]: '192.0.2.1' } })).toMatchObject(SERVER)
    expect(
      await find({ remotes: { origin: 'work:octo/widgets.git' }, gh: [AT], ssh: { work: AT } }),
    ).toMatchObject(SERVER)
    expect(
      await find({
        remotes: { origin: 'https://github.com/octo/widgets', work: remotes.origin },
        config: `host = "${AT}"`,
      }),
    ).toMatchObject({
      ...SERVER,
      remote: 'work',
    })
    expect(
      await find({
        remotes: { origin: 'octo@octo.ghe.com:octo/widgets.git' },
        variables: { GH_TOKEN: 'x' },
      }),
    ).toMatchObject({
      host: 'octo.ghe.com',
      api: 'https://api.octo.ghe.com',
      token: 'the variable GH_TOKEN',
      enterprise: false,
    })
  })

  it('is not where a host only answers as GitHub does: it may be anybody’s, and a token is not for it', async () => {
    const seen: string[] = []
    const server = createServer((request, response) => {
      seen.push(String(request.url))
      response.setHeader('x-github-request-id', 'A1')
      response.end('{}')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const remotes = {
      origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}/octo/widgets.git`,
    }
    const variables = { GH_TOKEN: 'secret', GH_ENTERPRISE_TOKEN: 'secret', GH_HOST: AT }
    expect(await find({ remotes, variables })).toContain(
      'nothing says is an Enterprise Server (GH_HOST or [forge.github] host would)',
    )
    expect(seen).toEqual([])
  })

  it('is behind the remote that is on the configured host, not behind one that is elsewhere', async () => {
    const there = `git@${AT}:octo/widgets.git`
    const config = `host = "${AT.toUpperCase()}"`
    expect(
      await find({
        remotes: { origin: 'https://code.example.org/octo/widgets', work: there },
        config,
      }),
    ).toMatchObject({ ...SERVER, remote: 'work' })
    expect(
      await find({ remotes: { origin: 'https://code.example.org/octo/widgets' }, config }),
    ).toContain('origin is on code.example.org')
    expect(
      await find({ remotes: { origin: 'backup:octo/widgets.git', work: there }, config }),
    ).toMatchObject({ ...SERVER, remote: 'work' })
    expect(await find({ remotes: { origin: 'work:octo/widgets.git' }, config })).toMatchObject(
      SERVER,
    )
    for (const host of ['github.com', 'gitlab.com']) {
      expect(
        await find({ remotes: { origin: 'alias:octo/widgets.git' }, config, ssh: { alias: host } }),
      ).toContain('no remote is on GitHub')
    }
    expect(
      await find({
        remotes: { origin: 'https://github.com/octo/widgets' },
        config: 'host = "GitHub.com"',
      }),
    ).toMatchObject(GITHUB)
  })

  it('has the configured addresses of its API', async () => {
    const remotes = { origin: `https://${AT}/octo/widgets.git` }
    expect(
      await find({ remotes, config: 'api_url = "https://api.example.com/api/v3/"' }),
    ).toMatchObject({ host: AT, api: 'https://api.example.com/api/v3' })
    expect(
      await find({
        remotes: { copy: '/srv/w.git' },
        config: `remote = "copy"\nhost = "${AT}"\nrepository = "octo/widgets"`,
      }),
    ).toMatchObject({
      ...SERVER,
      remote: 'copy',
    })
  })

  it('is where insteadOf leads', async () => {
    const repository = await tempRepository()
    onTestFinished(() => repository.remove())
    await repository.git('remote', 'add', 'origin', 'gh:octo/widgets')
    await repository.git('config', 'url.https://someone:secret@github.com/.insteadOf', 'gh:')
    const environment = readEnvironment({ ...repository.env, GH_TOKEN: 'x' })
    const git = openGit({
      commonDir: join(repository.path, '.git'),
      environment: gitEnvironment(environment),
    })
    const found = await findGithub({
      git,
      exec,
      environment,
      config: parseConfig('', 'f'),
      home: repository.path,
    })
    expect(found).toMatchObject({
      kind: 'found',
      remote: 'origin',
      transport: 'https',
      repository: { host: 'github.com', owner: 'octo', name: 'widgets' },
    })
    expect(JSON.stringify(found)).not.toContain('secret')
  })
})
