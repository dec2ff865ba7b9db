import { describe, expect, it } from 'vitest'
import { readEnvironment } from '../../../../src/config/environment.ts'
import { configSchema } from '../../../../src/config/schema.ts'
import { findGitea } from '../../../../src/daemon/forge/find-gitea.ts'

const find = (
  gitea: Record<string, unknown>,
  remotes: Record<string, string>,
  variables: Record<string, string> = { GITEA_TOKEN: 'secret' },
) =>
  findGitea({
    git: { remotes: async () => new Map(Object.entries(remotes)) },
    environment: readEnvironment({ HOME: '/home/ada', ...variables }),
    config: configSchema.parse({ forge: { kind: 'gitea', gitea } }),
    home: '/work/tree',
  })
const url = 'https://git.example.com'

describe('the repository on a Gitea server (20.21)', () => {
  it.each([
    ['by HTTPS', url, 'https://git.example.com/ada.l/widgets.git', 'ada.l/widgets'],
    [
      'with a port',
      'https://git.example.com:8443',
      'https://git.example.com:8443/ada/widgets',
      'ada/widgets',
    ],
    [
      'below a path',
      `${url}/gitea/`,
      'https://git.example.com/gitea/ada/widgets.git',
      'ada/widgets',
    ],
    ['by ssh', url, 'git@git.example.com:ada/widgets.git', 'ada/widgets'],
    [
      'by ssh with a port of its own',
      'https://git.example.com:8443',
      'ssh://git@git.example.com:2222/ada/widgets.git',
      'ada/widgets',
    ],
  ])('is found in the URL of the remote: %s', async (_, server, remote, place) => {
    const found = await find({ url: server }, { origin: remote })
    expect(found).toMatchObject({
      kind: 'found',
      remote: 'origin',
      token: { source: 'the variable GITEA_TOKEN' },
    })
    if (found.kind !== 'found') return
    expect(`${found.repository.owner}/${found.repository.name}`).toBe(place)
    expect(found.repository.url).toBe(server.replace(/\/$/, ''))
    expect(await found.token.read()).toBe('secret')
  })

  it('is what the configuration says, whatever the URL says, and of the remote that it names', async () => {
    const remotes = { origin: 'https://github.com/ada/other', mine: 'forge:x' }
    expect(await find({ url, remote: 'mine', repository: 'ada/widgets' }, remotes)).toMatchObject({
      remote: 'mine',
      repository: { host: 'git.example.com', owner: 'ada', name: 'widgets' },
    })
    expect(await find({ url }, { only: `${url}/ada/widgets` })).toMatchObject({ remote: 'only' })
  })

  it.each([
    [{}, { origin: `${url}/ada/widgets` }, 'where the server is', 'url ='],
    [{ url }, {}, 'no remote', 'git remote add'],
    [{ url }, { a: `${url}/ada/a`, b: `${url}/ada/b` }, 'several remotes \\(a, b\\)', 'remote ='],
    [{ url, remote: 'gone' }, { origin: `${url}/ada/a` }, 'no remote gone', 'git remote add gone'],
    [
      { url },
      { origin: 'https://elsewhere.example.com/ada/widgets' },
      'not that of a repository on git.example.com',
      'repository =',
    ],
    [
      { url: `${url}/gitea` },
      { origin: `${url}/ada/widgets` },
      'not that of a repository',
      'repository =',
    ],
    [{ url }, { origin: '/srv/git/widgets.git' }, 'not that of a repository', 'repository ='],
  ])('is not guessed: %j with %j', async (gitea, remotes, reason, fix) => {
    const found = await find(gitea, remotes as unknown as Record<string, string>)
    expect(found).toMatchObject({
      kind: 'none',
      reason: expect.stringMatching(reason),
      fix: expect.stringContaining(fix),
    })
  })

  it('has a token of the file that is named, or of the variables; without one it is said how to get it', async () => {
    const remotes = { origin: `${url}/ada/widgets` }
    expect(
      await find({ url }, remotes, { GITEA_TOKEN: ' ', FORGEJO_TOKEN: 'other' }),
    ).toMatchObject({ token: { source: 'the variable FORGEJO_TOKEN' } })
    const without = await find({ url }, remotes, {})
    expect(without).toMatchObject({ token: { source: null } })
    if (without.kind === 'found')
      await expect(without.token.read()).rejects.toMatchObject({
        code: 'FORGE_DENIED',
        message: expect.stringContaining('GITEA_TOKEN'),
      })
    expect(await find({ url, token_file: '~/none' }, remotes)).toMatchObject({
      token: { source: null, file: '/home/ada/none' },
    })
  })
})
