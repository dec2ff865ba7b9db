import { existsSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { ExomonadError } from '../../domain/errors.ts'
import { asBranchName, type Sha } from '../../domain/ids.ts'
import { exec as defaultExec, type Exec, type ExecResult } from '../../processes/exec.ts'
import { gitFailure, wordsOf } from './failure.ts'
import type { RepositoryFacts } from './git.ts'
import { asArguments, gitVariables, SETTINGS } from './settings.ts'
import { parseWorktreeList } from './worktrees/worktree-list.ts'

/**
 * The repository that a folder is in, seen from there: in a worktree, a linked one, a bare
 * repository or a `.git` folder. Throws NOT_A_REPOSITORY elsewhere, GIT_FAILED
 * where git does not start or refuses to read it.
 */
export async function inspectRepository(
  cwd: string,
  environment: Readonly<Record<string, string>>,
  exec: Exec = defaultExec,
): Promise<RepositoryFacts> {
  const git = (...args: string[]): Promise<ExecResult> =>
    exec('git', ['--no-pager', ...asArguments(SETTINGS), ...args], {
      cwd,
      env: { ...gitVariables(environment), GIT_OPTIONAL_LOCKS: '0' },
      timeout: 30_000,
    })
  const [seen, list] = await Promise.all([
    git('rev-parse', ...ABSOLUTE, '--git-common-dir', '--show-toplevel', 'HEAD^{commit}'),
    git('worktree', 'list', '--porcelain', '-z'),
  ])
  if (seen.exitCode !== 0 || list.exitCode !== 0) return inspectFurther(cwd, git)
  const [common = '', toplevel = '', sha = '', ...more] = line(seen).split('\n')
  const worktrees = parseWorktreeList(list.stdout)
  const here = worktrees.find(({ path }) => path === toplevel)
  // A line end in a path, or a worktree that the list names otherwise.
  if (more.length > 0 || here?.head !== sha) return inspectFurther(cwd, git)
  return {
    commonDir: await realpath(common),
    ...(await placesOf(worktrees, { common, toplevel, git })),
    worktree: toplevel,
    head:
      here.branch === null
        ? { kind: 'detached', sha: sha as Sha }
        : { kind: 'branch', branch: here.branch, sha: sha as Sha },
  }
}

const ABSOLUTE = ['--path-format=absolute']

const line = (result: ExecResult): string => result.stdout.replace(/\n$/, '')

type RunGit = (...args: string[]) => Promise<ExecResult>

async function placesOf(
  worktrees: ReturnType<typeof parseWorktreeList>,
  here: { common: string; toplevel: string | null; git: RunGit },
): Promise<Pick<RepositoryFacts, 'bare' | 'mainWorktree'>> {
  const bare = worktrees[0]?.bare ?? false
  const main = worktrees.find((worktree) => !worktree.bare && !worktree.prunable)?.path ?? null
  return { bare, mainWorktree: main === here.common ? ((await findMain(here)) ?? main) : main }
}

/**
 * git names the main worktree by its git directory, less `/.git`: of one that is called otherwise (a
 * submodule’s, one made with `--separate-git-dir`) that is no worktree. Null where nothing says
 * which it is, or it leads to the repository by variables alone.
 */
async function findMain({
  common,
  toplevel,
  git,
}: {
  common: string
  toplevel: string | null
  git: RunGit
}): Promise<string | null> {
  const own = await git('rev-parse', ...ABSOLUTE, '--git-dir')
  const configured = await git(`--git-dir=${common}`, 'config', '--get', 'core.worktree')
  const main =
    line(own) === common
      ? toplevel
      : configured.exitCode === 0
        ? resolve(common, line(configured))
        : null
  return main !== null && existsSync(join(main, '.git')) ? main : null
}

/** One question at a time: without a worktree, without a commit, or in no repository at all. */
async function inspectFurther(cwd: string, git: RunGit): Promise<RepositoryFacts> {
  const common = await git('rev-parse', ...ABSOLUTE, '--git-common-dir')
  if (common.startError !== null) {
    const there = await realpath(cwd).catch(() => null)
    if (there === null)
      throw new ExomonadError(
        'NOT_A_REPOSITORY',
        `The folder ${cwd} does not exist. Run the command inside a git repository.`,
        { folder: cwd },
      )
    throw gitFailure('look at the repository', common, { cwd })
  }
  if (common.exitCode !== 0) {
    throw notReadable(cwd, wordsOf(common))
  }

  const [toplevel, list, symbolic, head] = await Promise.all([
    git('rev-parse', ...ABSOLUTE, '--show-toplevel'),
    git('worktree', 'list', '--porcelain', '-z'),
    git('symbolic-ref', '--quiet', 'HEAD'),
    git('rev-parse', '--verify', '--quiet', 'HEAD^{commit}'),
  ])
  if (list.exitCode !== 0) throw gitFailure('list the worktrees', list, { cwd })
  const worktrees = parseWorktreeList(list.stdout)
  const sha = head.exitCode === 0 ? (line(head) as Sha) : null
  if (symbolic.exitCode !== 0 && sha === null) throw gitFailure('read HEAD', head, { cwd })
  const branch = asBranchName(line(symbolic).replace(/^refs\/heads\//, ''))

  return {
    commonDir: await realpath(line(common)),
    ...(await placesOf(worktrees, {
      common: line(common),
      toplevel: toplevel.exitCode === 0 ? line(toplevel) : null,
      git,
    })),
    worktree: toplevel.exitCode === 0 ? line(toplevel) : null,
    head:
      symbolic.exitCode !== 0
        ? { kind: 'detached', sha: sha! }
        : sha === null
          ? { kind: 'unborn', branch }
          : { kind: 'branch', branch, sha },
  }
}

/**
 * What to do depends on why: where there is no repository, one may be made; where git refuses one
 * that is there, or can’t read it, another one inside would only hide it.
 */
function notReadable(cwd: string, words: string): ExomonadError {
  if (words.includes('not a git repository (or any'))
    return new ExomonadError(
      'NOT_A_REPOSITORY',
      `${cwd} is not in a git repository. Go to one, or make this one: \`git init\`.`,
      { folder: cwd },
    )
  const owner = /dubious ownership in repository at '(.+?)'/.exec(words)?.[1]
  return new ExomonadError(
    'GIT_FAILED',
    owner === undefined
      ? `git can’t read the repository around ${cwd} (${words}). Put that right, until \`git status\` works there.`
      : `${owner} belongs to another user, so git refuses to read it. Run this as its owner; or, where you trust everybody who can write there: \`git config --global --add safe.directory '${owner}'\`.`,
    { folder: cwd, git: words },
  )
}
