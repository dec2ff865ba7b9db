import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { readEnvironment } from '../../../src/config/environment.ts'
import { pathsOf } from '../../../src/runtime/paths.ts'
import type { CliContext } from '../../../src/surfaces/cli/context.ts'
import { diagnoseCommits } from '../../../src/surfaces/cli/doctor/commits.ts'
import type { LocatedRepository } from '../../../src/surfaces/cli/locate.ts'
import { startExomonad } from '../../helpers/daemon.ts'
import { exec } from '../../helpers/exec.ts'
import { tempRepository } from '../../helpers/temp-repository.ts'

async function prepare() {
  const repository = await tempRepository()
  onTestFinished(() => repository.remove())
  const { path, env } = repository
  const context = {
    environment: readEnvironment(env),
    host: { run: exec },
  } as unknown as CliContext
  const located = {
    paths: pathsOf(join(path, '.git'), path),
    file: { rootWorktree: path },
  } as LocatedRepository
  return { ...repository, look: () => diagnoseCommits(context, located) }
}

it('doctor finds that git has no name for commits, in the words of git', async () => {
  const { look, git } = await prepare()
  expect(await look()).toMatchObject([{ subject: 'commits', status: 'ok' }])
  await git('config', 'user.email', '')
  await git('config', 'user.name', '')
  expect(await look()).toMatchObject([
    {
      status: 'problem',
      found: expect.stringMatching(/no name or address .*empty ident/),
      fix: expect.stringContaining('user.name'),
    },
  ])
})

it('doctor tries to sign where commits are to be signed, and leaves no object of it', async () => {
  const { look, git, folder } = await prepare()
  const program = join(folder, 'sign')
  await git('config', 'commit.gpgSign', 'yes')
  await git('config', 'gpg.program', program)
  const signing = (script: string) => {
    writeFileSync(program, `#!/bin/sh\n${script}\n`)
    chmodSync(program, 0o755)
  }
  signing('exit 2')
  expect(await look()).toMatchObject([
    {
      status: 'problem',
      found: expect.stringMatching(/commit.gpgSign is set, and .*gpg failed to sign/),
      fix: expect.stringContaining('commit.gpgSign false'),
    },
  ])
  // git takes one that ends before it has read everything for one that failed.
  signing('cat > /dev/null; echo; echo "[GNUPG:] SIG_CREATED x" >&2; echo signature')
  const before = await git('count-objects')
  expect(await look()).toMatchObject([{ status: 'ok', found: expect.stringContaining('sign') }])
  expect(await git('count-objects')).toBe(before)
})

it('init says at once that git has no name for what agents commit, and no more once it has', async () => {
  const tree = await startExomonad({ init: false })
  onTestFinished(() => tree.stop())
  const { git } = tree.repository
  await git('config', 'user.email', '')
  await git('config', 'user.name', '')
  expect((await tree.command(['init'])).stdout).toMatch(
    /! agents can’t commit here: git has no name or address .*`git config --global user\.name/,
  )
  expect((await tree.command(['init', '--json'])).json).toMatchObject({
    already: true,
    commit_problem: { fix: expect.stringContaining('user.email') },
  })
  await git('config', 'user.email', 'somebody@example.invalid')
  await git('config', 'user.name', 'Somebody')
  expect((await tree.command(['init'])).stdout).not.toContain('can’t commit')
  expect((await tree.command(['init', '--json'])).json).toMatchObject({ commit_problem: null })
})
