import { execFileSync } from 'node:child_process'
import { linkSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ensureLocalRemote } from '../../../src/adapters/forge/local/remote.ts'
import { KEPT_REFS } from '../../../src/adapters/git/lending.ts'
import { openGit } from '../../../src/adapters/git/open.ts'
import type { BranchName, Sha } from '../../../src/domain/ids.ts'
import { pathsOf } from '../../../src/runtime/paths.ts'
import { openLocalForge } from '../../helpers/local-forge.ts'
import { tempRepository } from '../../helpers/temp-repository.ts'

const name = (text: string): BranchName => text as BranchName

describe('the remote of the local forge', () => {
  it('is exomonad, never origin, and setting it up again changes nothing', async () => {
    const { git, paths, remote, close } = await openLocalForge()
    onTestFinished(close)
    expect(remote).toBe('exomonad')
    expect(await ensureLocalRemote({ git, paths, configuredRemote: undefined })).toMatchObject({
      remote: 'exomonad',
      created: false,
    })
    expect(await git.remotes()).toEqual(new Map([['exomonad', paths.origin]]))
    expect(statSync(join(paths.state, 'forge.key')).mode & 0o077).toBe(0)
    expect(await git.remoteTip('exomonad', name('main'))).toBe(await git.resolve('main'))
  })

  it.each([
    [['exomonad'], 'exomonad-local'],
    [['origin', 'exomonad'], 'exomonad-local'],
    [['upstream'], 'exomonad'],
  ])('with %j taken is %s', async (taken, expected) => {
    const repository = await tempRepository()
    onTestFinished(() => repository.remove())
    for (const one of taken)
      await repository.git('remote', 'add', one, 'https://example.invalid/theirs.git')
    const paths = pathsOf(join(repository.path, '.git'), repository.path)
    const git = openGit({ commonDir: paths.commonDir, environment: repository.env })
    expect(await ensureLocalRemote({ git, paths, configuredRemote: undefined })).toMatchObject({
      remote: expected,
      created: true,
    })
    expect([...(await git.remotes()).keys()].toSorted()).toEqual([...taken, expected].toSorted())
  })

  it('keeps the name it was given by an earlier version', async () => {
    const { git, repository, paths, close } = await openLocalForge()
    onTestFinished(close)
    await repository.git('remote', 'rename', 'exomonad', 'origin')
    expect(await ensureLocalRemote({ git, paths, configuredRemote: undefined })).toMatchObject({
      remote: 'origin',
      created: false,
    })
    expect([...(await git.remotes()).keys()]).toEqual(['origin'])
  })

  it('that an earlier version set up gets what it lacks at one blow', async () => {
    const { git, repository, paths, close } = await openLocalForge()
    onTestFinished(close)
    const config = join(paths.origin, 'config')
    await repository.gitIn(paths.origin, 'config', '--unset', 'core.hooksPath')
    // Whoever writes into the one writes into the other as well, and a kill may come amid that.
    const before = `${config}.before`
    linkSync(config, before)
    await ensureLocalRemote({ git, paths, configuredRemote: undefined })
    expect(readFileSync(before, 'utf8')).not.toContain('hooksPath')
    expect(await repository.gitIn(paths.origin, 'config', 'core.hooksPath')).toBe('hooks')
    expect(await repository.gitIn(paths.origin, 'config', 'core.bare')).toBe('true')
  })

  it('stands beside an origin of the user’s, which is left alone', async () => {
    const repository = await tempRepository()
    onTestFinished(() => repository.remove())
    await repository.git('remote', 'add', 'origin', 'https://example.invalid/theirs.git')
    const paths = pathsOf(join(repository.path, '.git'), repository.path)
    const git = openGit({ commonDir: paths.commonDir, environment: repository.env })
    expect(await ensureLocalRemote({ git, paths, configuredRemote: undefined })).toMatchObject({
      remote: 'exomonad',
      created: true,
    })
    expect((await git.remotes()).get('origin')).toBe('https://example.invalid/theirs.git')
    expect(await ensureLocalRemote({ git, paths, configuredRemote: 'origin' })).toMatchObject({
      remote: 'origin',
      created: false,
    })
    await expect(
      ensureLocalRemote({ git, paths, configuredRemote: 'upstream' }),
    ).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('exomonad, origin'),
    })
  })

  it('takes from an agent its own branch only, from people and the daemon everything', async () => {
    const { git, repository, paths, remote, close } = await openLocalForge()
    onTestFinished(close)
    // A hooks folder of the user’s own must not switch the guard off.
    await repository.git('config', '--global', 'core.hooksPath', join(repository.folder, 'none'))
    const next = (await repository.commit({ 'a.txt': 'a' })) as Sha
    const agent = {
      ...repository.env,
      EXOMONAD_AGENT_ID: 'x',
      EXOMONAD_AGENT_NAME: 'auth',
      EXOMONAD_BRANCH: 'main.auth',
    }
    const asAgent = openGit({ commonDir: paths.commonDir, environment: agent })
    const refused = await asAgent.push(remote, { sha: next, branch: name('main') })
    expect(refused).toMatchObject({
      kind: 'rejected',
      reason: expect.stringContaining('only its own branch, main.auth, not main'),
    })
    expect(refused).toMatchObject({ reason: expect.stringContaining('merge_pr') })
    expect(
      await asAgent.push(remote, { sha: next, branch: name('main.auth'), expected: null }),
    ).toEqual({ kind: 'pushed' })
    expect(await asAgent.deleteRemoteBranch(remote, name('main.auth'), next)).toMatchObject({
      kind: 'rejected',
    })
    const forged = openGit({
      commonDir: paths.commonDir,
      environment: agent,
      pushEnvironment: async () => ({ EXOMONAD_FORGE_KEY: 'guess' }),
    })
    expect(await forged.push(remote, { sha: next, branch: name('main') })).toMatchObject({
      kind: 'rejected',
    })

    const { pushEnvironment } = await ensureLocalRemote({ git, paths, configuredRemote: undefined })
    const asDaemon = openGit({ commonDir: paths.commonDir, environment: agent, pushEnvironment })
    expect(await asDaemon.push(remote, { sha: next, branch: name('main') })).toEqual({
      kind: 'pushed',
    })
    const person = openGit({ commonDir: paths.commonDir, environment: repository.env })
    writeFileSync(join(repository.path, 'b.txt'), 'b')
    const more = (await repository.commit({ 'b.txt': 'b' })) as Sha
    expect(await person.push(remote, { sha: more, branch: name('main') })).toEqual({
      kind: 'pushed',
    })
  })

  // `sh` is bash on many machines; here it need not be.
  it.each([[['sh']], [['bash', '--posix']]])('has a hook that runs by %j', async (shell) => {
    const { repository, paths, remote, close } = await openLocalForge()
    onTestFinished(close)
    await repository.git('push', '-q', remote, 'main')
    const sha = await repository.commit({ 'a.txt': 'a' })
    const [program = '', ...options] = shell
    const hook = (ref: string): string =>
      execFileSync(program, [...options, 'hooks/update', ref, '0'.repeat(40), sha], {
        cwd: paths.origin,
        encoding: 'utf8',
        stdio: 'pipe',
        env: {
          ...{ ...repository.env, GIT_DIR: '.' },
          ...{ EXOMONAD_AGENT_ID: 'x', EXOMONAD_AGENT_NAME: 'auth', EXOMONAD_BRANCH: 'main.auth' },
        },
      })
    expect(hook('refs/heads/main.auth')).toBe('')
    expect(await repository.git('for-each-ref', '--format=%(refname)', KEPT_REFS)).toContain(sha)
    expect(() => hook('refs/heads/main')).toThrow('only its own branch, main.auth, not main')
  })

  it('is found again after the repository was moved', async () => {
    const { git, repository, paths, close } = await openLocalForge()
    onTestFinished(close)
    await repository.git(
      'remote',
      'set-url',
      'exomonad',
      join(repository.folder, 'old place', '.git', 'exomonad', 'origin.git'),
    )
    expect(await ensureLocalRemote({ git, paths, configuredRemote: undefined })).toMatchObject({
      remote: 'exomonad',
    })
    expect((await git.remotes()).get('exomonad')).toBe(paths.origin)
  })
})
