import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { exec as realExec, type Exec } from '../../../../../../src/processes/exec.ts'
import { openToOthers, secretFilePath } from '../../../../../../src/adapters/forge/secret-file.ts'
import {
  findToken,
  type TokenOptions,
} from '../../../../../../src/adapters/forge/github/setup/token.ts'
import { tempHome } from '../../../../../helpers/temp-repository.ts'

function setting(options: Partial<TokenOptions> = {}) {
  const { folder, remove } = tempHome()
  onTestFinished(remove)
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  /** A `gh` that keeps these tokens by host, and records what environment it saw. */
  const installGh = (script: string): void => {
    writeFileSync(join(bin, 'gh'), `#!/bin/sh\n${script}\n`)
    chmodSync(join(bin, 'gh'), 0o755)
  }
  const asked: string[][] = []
  const exec: Exec = (file, args, execOptions) => {
    asked.push([file, ...args])
    return realExec(file, args, execOptions)
  }
  let now = 1_000_000
  return {
    folder,
    asked,
    installGh,
    pass: (milliseconds: number): void => void (now += milliseconds),
    find: (more: Partial<TokenOptions> = {}) =>
      findToken({
        host: 'github.com',
        file: null,
        variables: {},
        exec,
        ghEnvironment: { PATH: `${bin}:/usr/bin:/bin` },
        clock: () => now,
        ...options,
        ...more,
      }),
  }
}

const ENVIRONMENT = {
  GH_TOKEN: 'one',
  GITHUB_TOKEN: 'two',
  GH_ENTERPRISE_TOKEN: 'three',
  GITHUB_ENTERPRISE_TOKEN: 'four',
}

describe('the token for GitHub', () => {
  it('is the one of the configured file, read anew each time, and of nothing else where that is gone', async () => {
    const { folder, find } = setting()
    const file = join(folder, 'token')
    writeFileSync(file, 'first\n', { mode: 0o600 })
    const token = await find({ file, variables: ENVIRONMENT })
    expect([token.source, await token.read()]).toEqual([`the file ${file}`, 'first'])
    writeFileSync(file, 'second')
    expect(await token.read()).toBe('second')
    writeFileSync(file, '  \n')
    await expect(token.read()).rejects.toMatchObject({
      code: 'FORGE_DENIED',
      message: expect.stringContaining('is empty'),
    })
    writeFileSync(file, 'two words')
    await expect(token.read()).rejects.toThrow('the secret alone')
    const gone = await find({ file: join(folder, 'nowhere'), variables: ENVIRONMENT })
    expect(gone.source).toBeNull()
    await expect(gone.read()).rejects.toMatchObject({
      code: 'FORGE_DENIED',
      message: expect.stringContaining('is not there'),
    })
  })

  it('is that of the environment next, and one for github.com never goes elsewhere', async () => {
    const { find, asked } = setting()
    const read = async (host: string, variables: Readonly<Record<string, string>>) => {
      const token = await find({ host, variables })
      return [token.source, await token.read()]
    }
    expect(await read('github.com', ENVIRONMENT)).toEqual(['the variable GH_TOKEN', 'one'])
    expect(await read('octo.ghe.com', { GITHUB_TOKEN: 'two', GH_TOKEN: ' ' })).toEqual([
      'the variable GITHUB_TOKEN',
      'two',
    ])
    expect(await read('git.example.com', ENVIRONMENT)).toEqual([
      'the variable GH_ENTERPRISE_TOKEN',
      'three',
    ])
    expect(await read('git.example.com', { GITHUB_ENTERPRISE_TOKEN: 'four' })).toEqual([
      'the variable GITHUB_ENTERPRISE_TOKEN',
      'four',
    ])
    expect(asked).toEqual([])
    expect(
      (await find({ host: 'git.example.com', variables: { GH_TOKEN: 'one', GITHUB_TOKEN: 'two' } }))
        .source,
    ).toBeNull()
  })

  it('is the one gh is logged in with last, asked for without any other and again after a few seconds', async () => {
    const { find, installGh, asked, pass } = setting()
    installGh(
      'test -z "$GH_TOKEN" && test "$*" = "auth token --hostname octo.ghe.com" && echo kept',
    )
    const token = await find({ host: 'octo.ghe.com' })
    expect([token.source, await token.read(), await token.read()]).toEqual([
      '`gh auth token` for octo.ghe.com',
      'kept',
      'kept',
    ])
    expect(asked).toEqual([['gh', 'auth', 'token', '--hostname', 'octo.ghe.com']])
    installGh('echo renewed')
    pass(60_000)
    expect(await token.read()).toBe('renewed')
    installGh('echo "no oauth token" >&2; exit 1')
    pass(-30_000)
    await expect(token.read()).rejects.toMatchObject({
      code: 'FORGE_DENIED',
      message:
        'There is no token for octo.ghe.com. Run `gh auth login --hostname octo.ghe.com`, set GH_TOKEN before the daemon starts, or name a file that holds one in [forge.github] token_file.',
    })
  })

  it('is none where there is no gh, which is no failure of its own', async () => {
    const { find } = setting({
      exec: (file, args, options) => realExec(`no-such-${file}`, args, options),
    })
    const token = await find()
    expect(token.source).toBeNull()
    await expect(token.read()).rejects.toThrow(
      'There is no token for github.com. Run `gh auth login`, set GH_TOKEN',
    )
  })
})

describe('the file of a secret', () => {
  it('lies at home, in .exomonad, or where a whole path says', () => {
    const where = { userHome: '/home/me', home: '/repo' }
    expect(secretFilePath('~/token', where)).toBe('/home/me/token')
    expect(secretFilePath('token', where)).toBe('/repo/.exomonad/token')
    expect(secretFilePath('/run/secrets/token', where)).toBe('/run/secrets/token')
  })

  it('is open to others or not', async () => {
    const { folder } = setting()
    const file = join(folder, 'token')
    writeFileSync(file, 'x')
    chmodSync(file, 0o644)
    expect(await openToOthers(file)).toBe('644')
    chmodSync(file, 0o600)
    expect(await openToOthers(file)).toBeNull()
    expect(await openToOthers(join(folder, 'nowhere'))).toBeNull()
  })
})
