import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { exec, type Exec } from '../../../src/processes/exec.ts'
import { openGit } from '../../../src/adapters/git/open.ts'
import { createGitCredential } from '../../../src/daemon/forge/git-credential.ts'
import { tempRepository } from '../../helpers/temp-repository.ts'

/** The daemon’s own git at a remote that asks for a password. */

const TOKEN = 'a-token-of-the-daemon'

/**
 * A repository over HTTP for whoever knows one of these passwords; `asked` holds the passwords that
 * were tried.
 */
async function remoteWithPasswords(passwords: readonly string[]) {
  const repository = await tempRepository()
  const bare = join(repository.folder, 'bare.git')
  await repository.git('clone', '-q', '--bare', '.', bare)
  const asked: string[] = []
  const server = createServer((request, response) => {
    const given = Buffer.from(
      (request.headers.authorization ?? '').replace(/^Basic /, ''),
      'base64',
    )
      .toString()
      .split(':')[1]
    if (given !== undefined) asked.push(given)
    if (given === undefined || !passwords.includes(given))
      return response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="git"' }).end()
    const refs = execFileSync('git', ['upload-pack', '--stateless-rpc', '--advertise-refs', bare])
    response.writeHead(200, { 'Content-Type': 'application/x-git-upload-pack-advertisement' })
    return response.end(Buffer.concat([Buffer.from('001e# service=git-upload-pack\n0000'), refs]))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    repository.remove()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/octo/widgets.git`
  await repository.git('remote', 'add', 'origin', url)
  const commands: string[] = []
  const watched: Exec = (file, args, options) => {
    commands.push(`${file} ${args.join(' ')}`)
    return exec(file, args, options)
  }
  const commonDir = join(repository.path, '.git')
  const open = (token: () => Promise<string>, host = new URL(url).host) => {
    const plain = openGit({ commonDir, environment: repository.env })
    const credential = createGitCredential({
      git: plain,
      exec: watched,
      environment: repository.env,
      remote: 'origin',
      host,
      token,
    })
    return openGit({
      commonDir,
      environment: repository.env,
      exec: watched,
      remoteEnvironment: credential,
    })
  }
  return { repository, url, asked, commands, open }
}

it('is let in with the token, which no argument, no configuration and no helper of the person gets to see', async () => {
  const { repository, asked, commands, open, url } = await remoteWithPasswords([TOKEN])
  const kept = join(repository.folder, 'kept')
  await repository.git('config', 'credential.helper', `store --file=${kept}`)
  const git = open(() => Promise.resolve(TOKEN))
  expect([...(await git.remoteTips('origin')).keys()]).toEqual(['main'])
  expect(asked).toEqual([TOKEN])
  expect(commands.join('\n')).not.toContain(TOKEN)
  expect(await repository.git('config', '--list')).not.toContain(TOKEN)
  expect(await repository.git('remote', 'get-url', 'origin')).toBe(url)
  expect(existsSync(kept)).toBe(false)
})

it('leaves the token in its place where the person has a helper that knows a password', async () => {
  const { repository, asked, open, url } = await remoteWithPasswords(['of-the-person'])
  const kept = join(repository.folder, 'kept')
  writeFileSync(
    kept,
    `${url.replace('http://', 'http://me:of-the-person@').replace('/octo/widgets.git', '')}\n`,
    { mode: 0o600 },
  )
  await repository.git('config', 'credential.helper', `store --file=${kept}`)
  expect([...(await open(() => Promise.resolve(TOKEN)).remoteTips('origin')).keys()]).toEqual([
    'main',
  ])
  expect(asked).toEqual(['of-the-person'])
})

it('shows the token to no other remote and no other host, and goes without where there is none', async () => {
  const { repository, asked, open, url } = await remoteWithPasswords([TOKEN])
  await repository.git('remote', 'add', 'elsewhere', url.replace('127.0.0.1', 'localhost'))
  await expect(open(() => Promise.resolve(TOKEN)).remoteTips('elsewhere')).rejects.toMatchObject({
    code: 'FORGE_DENIED',
  })
  await expect(
    open(() => Promise.resolve(TOKEN), 'github.com').remoteTips('origin'),
  ).rejects.toMatchObject({ code: 'FORGE_DENIED' })
  await expect(
    open(() => Promise.reject(new Error('there is none'))).remoteTips('origin'),
  ).rejects.toMatchObject({ code: 'FORGE_DENIED' })
  expect(asked).toEqual([])
})
