import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  isAnotherForge,
  ownHost,
  repositoryAt,
} from '../../../../../../src/adapters/forge/github/setup/api-host.ts'
import {
  isLoopback,
  parseRemoteUrl,
  parseRepositoryName,
} from '../../../../../../src/adapters/forge/remote-url.ts'

const at = (transport: string, host: string, path = 'octo/widgets') => ({ transport, host, path })

describe('the URL of a remote', () => {
  it.each([
    ['https://github.com/octo/widgets.git', at('https', 'github.com')],
    ['https://github.com/octo/widgets', at('https', 'github.com')],
    ['https://github.com/octo/widgets/', at('https', 'github.com')],
    ['https://GitHub.com:443/octo/widgets.git', at('https', 'github.com')],
    ['https://someone:ghp_secret@github.com/octo/widgets.git', at('https', 'github.com')],
    ['https://ghp_secret@github.com/octo/widgets', at('https', 'github.com')],
    ['git@github.com:octo/widgets.git', at('ssh', 'github.com')],
    ['github.com:octo/widgets', at('ssh', 'github.com')],
    ['git@github.com:/octo/widgets.git', at('ssh', 'github.com')],
    ['ssh://git@github.com/octo/widgets.git', at('ssh', 'github.com')],
    ['ssh://git@ssh.github.com:443/octo/widgets.git', at('ssh', 'ssh.github.com')],
    ['git+ssh://git@github.com/octo/widgets.git', at('ssh', 'github.com')],
    ['ssh://git@git.example.com:2222/octo/widgets.git', at('ssh', 'git.example.com')],
    ['git://github.com/octo/widgets.git', at('git', 'github.com')],
    ['git@github.com-work:octo/widgets.git', at('ssh', 'github.com-work')],
    ['work:octo/widgets', at('ssh', 'work')],
    ['octo@octo.ghe.com:octo/widgets.git', at('ssh', 'octo.ghe.com')],
    ['https://git.example.com:8443/octo/widgets.git', at('https', 'git.example.com:8443')],
    ['http://127.0.0.1:8080/octo/widgets.git', at('http', '127.0.0.1:8080')],
    ['http://[::1]:8080/octo/widgets.git', at('http', '[::1]:8080')],
    ['https://gitlab.com/group/sub/project.git', at('https', 'gitlab.com', 'group/sub/project')],
  ])('%s', (url, expected) => {
    expect(parseRemoteUrl(url)).toEqual(expected)
  })

  it.each([
    '/srv/git/widgets.git',
    '../widgets.git',
    'C/widgets',
    './a:b',
    'file:///srv/widgets.git',
    'ext::sh -c evil',
    'codecommit::eu-west-1://widgets',
    'https://',
    'ssh://git@github.com:octo/widgets.git',
    'git@-oProxyCommand=evil:octo/widgets',
    'ssh://-oProxyCommand=evil/octo/widgets',
    '',
    ' ',
  ])('%j is none of a host', (url) => {
    expect(parseRemoteUrl(url)).toBeNull()
  })

  it('gives the same in every form, and never what stands before the @', () => {
    const owner = fc.stringMatching(/^[A-Za-z0-9](?:[A-Za-z0-9-]{0,20}[A-Za-z0-9])?$/)
    const name = fc
      .stringMatching(/^[A-Za-z0-9_][A-Za-z0-9._-]{0,20}$/)
      .filter((text) => !text.endsWith('.git'))
    const host = fc.constantFrom('github.com', 'octo.ghe.com', 'git.example.com')
    const secret = fc.stringMatching(/^Zz[A-Za-z0-9_]{6,20}$/)
    fc.assert(
      fc.property(owner, name, host, secret, (someone, repository, where, password) => {
        for (const url of [
          `https://${where}/${someone}/${repository}`,
          `https://u:${password}@${where}/${someone}/${repository}.git`,
          `https://${password}@${where}/${someone}/${repository}.git/`,
          `ssh://git@${where}:22/${someone}/${repository}.git`,
          `git@${where}:${someone}/${repository}.git`,
          `${password}@${where}:${someone}/${repository}`,
          `git://${where}/${someone}/${repository}.git`,
        ]) {
          const address = parseRemoteUrl(url)
          expect(address).toMatchObject({ host: where })
          expect(parseRepositoryName(address?.path ?? '')).toEqual({
            owner: someone,
            name: repository,
          })
          if (!`${someone}/${repository}`.includes(password))
            expect(JSON.stringify(address)).not.toContain(password)
        }
      }),
    )
  })

  it('is read or not, whatever it is, and a host is never an option of ssh', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.webUrl(), fc.stringMatching(/^[a-z@:/.[\]-]{0,20}$/)),
        (url) => {
          const address = parseRemoteUrl(url)
          if (address !== null) expect(address.host).toMatch(/^[a-z0-9_[]/)
        },
      ),
    )
  }, 60_000)
})

describe('OWNER/NAME', () => {
  it('is two parts that GitHub would take', () => {
    expect(parseRepositoryName('octo/widgets.js')).toEqual({ owner: 'octo', name: 'widgets.js' })
    expect(parseRepositoryName('octo_corp/.github')).toEqual({
      owner: 'octo_corp',
      name: '.github',
    })
    for (const path of [
      '',
      'octo',
      'octo/',
      '/widgets',
      'a/b/c',
      'octo/..',
      'octo/.',
      'octo/a b',
      'octo/a%2Fb',
      '-octo/a',
    ])
      expect(parseRepositoryName(path)).toBeNull()
  })
})

describe('a host', () => {
  it('has its API where GitHub has it', () => {
    const of = (host: string, transport: 'https' | 'http' | 'ssh' = 'https') => {
      const {
        host: named,
        apiUrl,
        graphqlUrl,
      } = repositoryAt({ host, owner: 'octo', name: 'widgets', transport })
      return [named, apiUrl, graphqlUrl]
    }
    expect(of('github.com')).toEqual([
      'github.com',
      'https://api.github.com',
      'https://api.github.com/graphql',
    ])
    expect(of('ssh.github.com', 'ssh')).toEqual([
      'github.com',
      'https://api.github.com',
      'https://api.github.com/graphql',
    ])
    expect(of('octo.ghe.com')).toEqual([
      'octo.ghe.com',
      'https://api.octo.ghe.com',
      'https://api.octo.ghe.com/graphql',
    ])
    expect(of('git.example.com', 'ssh')).toEqual([
      'git.example.com',
      'https://git.example.com/api/v3',
      'https://git.example.com/api/graphql',
    ])
    expect(of('127.0.0.1:8080', 'http')).toEqual([
      '127.0.0.1:8080',
      'http://127.0.0.1:8080/api/v3',
      'http://127.0.0.1:8080/api/graphql',
    ])
    expect(of('git.example.com', 'http')[1]).toBe('https://git.example.com/api/v3')
  })

  it('is GitHub’s own, surely another forge, or not known', () => {
    expect(['github.com', 'www.github.com', 'ssh.github.com', 'octo.ghe.com'].map(ownHost)).toEqual(
      ['github.com', 'github.com', 'github.com', 'octo.ghe.com'],
    )
    for (const host of [
      'git.example.com',
      'github.com.evil.example',
      'notgithub.com',
      'ghe.com',
      'a.b.ghe.com',
      'evil-ghe.com',
      'work',
    ])
      expect(ownHost(host)).toBeNull()
    for (const host of [
      'gitlab.com',
      'bitbucket.org',
      'codeberg.org',
      'ssh.dev.azure.com',
      'gitlab.example.com',
    ])
      expect(isAnotherForge(host)).toBe(true)
    for (const host of ['github.com', 'git.example.com', 'octo.ghe.com'])
      expect(isAnotherForge(host)).toBe(false)
    expect(['127.0.0.1:80', 'localhost', '[::1]:8'].map(isLoopback)).toEqual([true, true, true])
    expect(['127.0.0.1.evil.example', 'localhost.example'].map(isLoopback)).toEqual([false, false])
  })
})
