import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gitEnvironment } from '../../../config/environment.ts'
import type { CliContext } from '../context.ts'
import type { LocatedRepository } from '../locate.ts'
import type { Diagnosis } from './diagnosis.ts'

/** A signature that takes longer waits for somebody who is not there. Milliseconds. */
const SIGNING_LIMIT = 15_000

/**
 * Whether git can commit in this repository where nobody is there to be asked, as agents do: by a
 * name and an address, and by signing where it is to. Only tries: what is signed goes to a folder
 * that is removed.
 */
export async function diagnoseCommits(
  context: CliContext,
  { paths, file }: Pick<LocatedRepository, 'paths' | 'file'>,
): Promise<Diagnosis[]> {
  const git = gitIn(context, file.rootWorktree)
  const nameless = await diagnoseIdentity(context, file.rootWorktree)
  if (nameless !== null) return [nameless]
  const signs = await git(['config', '--type=bool', '--get', 'commit.gpgSign'])
  if (signs.stdout.trim() !== 'true')
    return [{ subject: 'commits', status: 'ok', found: 'git has a name and an address for them' }]
  const objects = await mkdtemp(join(tmpdir(), 'exomonad-doctor-'))
  try {
    const tried = await git(['commit-tree', '-S', '-m', 'Try to sign', 'HEAD^{tree}'], {
      GIT_OBJECT_DIRECTORY: objects,
      GIT_ALTERNATE_OBJECT_DIRECTORIES: join(paths.commonDir, 'objects'),
    })
    if (tried.exitCode === 0)
      return [{ subject: 'commits', status: 'ok', found: 'git can make and sign them' }]
    const why = tried.timedOut
      ? `no signature within ${SIGNING_LIMIT / 1000} s, so something waits for a passphrase or a touch`
      : `they are to be signed, which failed${said(tried.stderr)}`
    return [
      problem(
        `commit.gpgSign is set, and ${why}`,
        'Have the key unlocked by its agent (gpg-agent, ssh-agent), or `git config commit.gpgSign false` in this repository',
      ),
    ]
  } finally {
    await rm(objects, { recursive: true, force: true })
  }
}

/** What to do where git has no name or address for commits; null where it has. */
export async function diagnoseIdentity(
  context: CliContext,
  worktree: string,
): Promise<Diagnosis | null> {
  const git = gitIn(context, worktree)
  for (const name of ['GIT_AUTHOR_IDENT', 'GIT_COMMITTER_IDENT']) {
    const { exitCode, stderr } = await git(['var', name])
    if (exitCode !== 0)
      return problem(
        `git has no name or address for them${said(stderr)}`,
        '`git config --global user.name "Your Name"`, and `user.email` likewise',
      )
  }
  return null
}

const problem = (why: string, fix: string): Diagnosis => ({
  subject: 'commits',
  status: 'problem',
  found: `agents can’t commit here: ${why}`,
  fix,
})

const gitIn =
  (context: CliContext, worktree: string) =>
  (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    context.host.run('git', ['-C', worktree, ...args], {
      env: { ...gitEnvironment(context.environment), ...env },
      timeout: SIGNING_LIMIT,
    })

/** The first line of git’s that says why, in brackets. */
function said(stderr: string): string {
  const lines = stderr.split('\n').map((line) => line.trim())
  const why = lines.filter((line) => /^(fatal|error):/.test(line))[0]
  return why === undefined ? '' : ` (${why})`
}
