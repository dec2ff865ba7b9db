import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { ExomonadError } from '../../../domain/errors.ts'
import type { Sha } from '../../../domain/ids.ts'
import type { Git } from '../git.ts'
import type { Run } from '../run.ts'
import { gitDirOf } from './worktree-state.ts'

/** The refs of what a submodule was filled from: what they hold is nowhere lost. */
const FILLED_FROM = 'refs/exomonad'
const MODE_OF_COMMIT = '160000 '
const CLONE_TIMEOUT = 900_000
/**
 * Agents write the configuration of these repositories. A partial clone would ask its remote for
 * what is missing, by the program that its configuration names.
 */
const OFFLINE = { env: { GIT_NO_LAZY_FETCH: '1' } }
const SETTINGS = ['protocol.file.allow=always', 'protocol.ext.allow=never']

interface Submodule {
  readonly name: string
  readonly path: string
}

/**
 * git makes an empty folder in the place of each submodule of the commit; what .gitmodules names
 * beside these is not there at all.
 */
export function createSubmodules({
  run: anyRun,
  commonDir,
}: {
  run: Run
  commonDir: string
}): Pick<Git, 'fillSubmodules'> {
  const run = offline(anyRun)

  const listed = async (worktree: string): Promise<Submodule[]> => {
    const args = ['config', '--file', '.gitmodules', '--null', '--get-regexp']
    const found = await run.attempt([...args, String.raw`^submodule\..*\.path$`], { worktree })
    return found.stdout.split('\0').flatMap((entry) => {
      const [key = '', path] = entry.split('\n', 2)
      return path === undefined
        ? []
        : [{ name: key.slice('submodule.'.length, -'.path'.length), path }]
    })
  }

  const isEmpty = async (worktree: string, path: string): Promise<boolean> =>
    (await readdir(join(worktree, path)).catch(() => null))?.length === 0

  /** The first of these repositories that has a commit. */
  const holderOf = async (places: readonly string[], sha: string): Promise<string | null> => {
    for (const place of places) {
      const args = [`--git-dir=${place}`, 'cat-file', '-e', `${sha}^{commit}`]
      if ((await run.attempt(args)).exitCode === 0) return place
    }
    return null
  }

  const fillOne = async (
    worktree: string,
    { name, path }: Submodule,
    { from, sha }: { from: string; sha: string },
  ): Promise<string | null> => {
    // A clone of a folder of this machine: objects are linked, nothing is asked of a remote.
    const settings = [...SETTINGS, `submodule.${name}.url=${from}`]
    const args = [
      'submodule',
      '--quiet',
      'update',
      '--init',
      '--no-fetch',
      '--checkout',
      '--',
      path,
    ]
    const filled = await run.attempt(args, { worktree, settings, timeout: CLONE_TIMEOUT })
    if (filled.exitCode !== 0 || (await isEmpty(worktree, path)))
      return filled.stderr.trim().split('\n').at(-1) ?? 'git left it empty'
    const inside = { worktree: join(worktree, path), settings: SETTINGS }
    const refs = ['heads', 'tags'].map((kind) => `+refs/${kind}/*:${FILLED_FROM}/${kind}/*`)
    const remotes = '+refs/remotes/origin/*:refs/remotes/origin/*'
    await run.attempt(['fetch', '--quiet', '--no-tags', from, remotes, ...refs], inside)
    await run.attempt(['update-ref', `${FILLED_FROM}/base`, sha], inside)
    const url = await run.attempt([`--git-dir=${from}`, 'config', '--get', 'remote.origin.url'])
    if (url.exitCode === 0)
      await run.attempt(['remote', 'set-url', 'origin', url.stdout.trim()], inside)
    return null
  }

  /** `gitDirs`: whose `modules` have the repositories of submodules, by their names. */
  const fill = async (
    worktree: string,
    gitDirs: readonly string[],
    above: string,
  ): Promise<{ path: string; reason: string }[]> => {
    if (!(await isThere(join(worktree, '.gitmodules')))) return []
    const missing: { path: string; reason: string }[] = []
    const commits = await commitsOf(run, worktree)
    // One after the other: each writes into the same configuration.
    for (const submodule of await listed(worktree)) {
      const sha = commits.get(submodule.path)
      if (sha === undefined || !(await isEmpty(worktree, submodule.path))) continue
      const path = above + submodule.path
      if (!isName(submodule.name)) {
        missing.push({ path, reason: `its name ${JSON.stringify(submodule.name)} is not allowed` })
        continue
      }
      const places: string[] = []
      for (const gitDir of gitDirs) {
        const place = await repositoryOf(gitDir, submodule.name)
        if (place !== null) places.push(place)
      }
      const from = await holderOf(places, sha)
      if (from === null) {
        const reason =
          places.length > 0
            ? `the main worktree’s has no commit ${sha.slice(0, 10)}`
            : 'it is not checked out in the main worktree'
        missing.push({ path, reason })
        continue
      }
      const failed = await fillOne(worktree, submodule, { from, sha })
      if (failed !== null) missing.push({ path, reason: failed })
      else missing.push(...(await fill(join(worktree, submodule.path), places, `${path}/`)))
    }
    return missing
  }

  return {
    fillSubmodules: async (worktree, from) => fill(worktree, [await gitDirOf(from), commonDir], ''),
  }
}

const offline = (run: Run): Pick<Run, 'attempt' | 'output'> => ({
  attempt: (args, options) => run.attempt(args, { ...options, ...OFFLINE }),
  output: (doing, args, options) => run.output(doing, args, { ...options, ...OFFLINE }),
})

/** It becomes a part of paths and of a setting, and whoever commits can write it. */
const isName = (name: string): boolean =>
  name !== '' &&
  !name.startsWith('/') &&
  !['=', '\n', '\0'].some((character) => name.includes(character)) &&
  !name.split(/[/\\]/).includes('..')

/** Null where there is none, or a link is on the way to it: it may lead anywhere. */
async function repositoryOf(gitDir: string, name: string): Promise<string | null> {
  let place = gitDir
  for (const part of ['modules', ...name.split('/')]) {
    place = join(place, part)
    if (!(await isFolder(place))) return null
  }
  return (await isThere(join(place, 'HEAD'))) ? place : null
}

/**
 * Throws GIT_FAILED where a repository of a submodule below a git directory has commits that are
 * neither at a remote nor where it was filled from: they would be gone with it.
 */
export async function requireSharedSubmodules(run: Run, gitDir: string): Promise<void> {
  for (const place of await repositoriesIn(join(gitDir, 'modules'))) {
    const args = ['rev-list', '--max-count=1', 'HEAD', '--all', '--not', '--remotes']
    const globs = `--glob=${FILLED_FROM}/*`
    const found = await offline(run).attempt([`--git-dir=${place}`, ...args, globs])
    if (found.exitCode === 0 && found.stdout.trim() === '') continue
    const name = place.slice(join(gitDir, 'modules').length + 1)
    throw new ExomonadError(
      'GIT_FAILED',
      found.exitCode === 0
        ? `its submodule ${name} has commits that are on no remote (${found.stdout.trim().slice(0, 10)}): push them first`
        : `its submodule ${name} can’t be looked at: ${found.stderr.trim()}`,
      { submodule: name },
    )
  }
}

/** The commit that the index has of each submodule, by its path. */
async function commitsOf(run: Pick<Run, 'output'>, worktree: string): Promise<Map<string, string>> {
  const args = ['ls-files', '--stage', '-z']
  const entries = await run.output('list submodules', args, { worktree, reads: true })
  return new Map(
    entries
      .split('\0')
      .filter((entry) => entry.startsWith(MODE_OF_COMMIT))
      .map((entry): [string, string] => {
        const [facts = '', path = ''] = entry.split('\t', 2)
        return [path, facts.split(' ')[1] ?? '']
      }),
  )
}

/** Paths of the submodules that a commit has. */
export async function submodulesOf(run: Run, commit: Sha): Promise<string[]> {
  const args = ['ls-tree', '-r', '-z', '--full-tree', commit]
  const entries = await run.output('list submodules', args, { reads: true })
  return entries
    .split('\0')
    .filter((entry) => entry.startsWith(MODE_OF_COMMIT))
    .map((entry) => entry.slice(entry.indexOf('\t') + 1))
}

/**
 * Path of the first submodule, of one in it as well, whose repository lies in its own folder, as
 * `git clone` makes it: its commits may be nowhere else. Null where there is none. `paths`: its
 * submodules, where they are known; else its index is asked.
 */
export async function ownRepositoryIn(
  run: Run,
  worktree: string,
  paths?: readonly string[],
): Promise<string | null> {
  for (const path of paths ?? (await commitsOf(offline(run), worktree)).keys()) {
    const inside = join(worktree, path)
    const mark = await lstat(join(inside, '.git')).catch(() => null)
    if (mark === null) continue
    if (mark.isDirectory()) return path
    const deeper = await ownRepositoryIn(run, inside)
    if (deeper !== null) return join(path, deeper)
  }
  return null
}

/** A name may have `/` in it, and a submodule its own. No link is followed. */
async function repositoriesIn(folder: string): Promise<string[]> {
  const found: string[] = []
  if (!(await isFolder(folder))) return found
  for (const name of await readdir(folder).catch(() => [])) {
    const place = join(folder, name)
    if (!(await isFolder(place))) continue
    if (await isThere(join(place, 'HEAD')))
      found.push(place, ...(await repositoriesIn(join(place, 'modules'))))
    else found.push(...(await repositoriesIn(place)))
  }
  return found
}

/** And not a link to one. */
const isFolder = (path: string): Promise<boolean> =>
  lstat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )

const isThere = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  )
