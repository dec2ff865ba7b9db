import { readFile, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { gitDirOf } from '../../adapters/git/worktrees/worktree-state.ts'
import type { Mount } from '../../adapters/sandbox/sandbox.ts'
import { gitMounts, isWithin, none, read, write } from '../../adapters/sandbox/workspace.ts'
import type { Paths } from '../../runtime/paths.ts'

/** A command of git’s, all its arguments, and the folder that it runs in. */
export interface GitCommand {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

/** Of the git folder, what every git adds to. */
const SHARED = ['objects', 'refs', 'reftable', 'logs', 'lfs']
/** What no agent writes, and of git’s commands only those in NEEDS. */
const KEPT = [
  ...['config', 'config.worktree', 'exomonad', 'hooks', 'info', 'modules', 'packed-refs'],
  ...['shallow', 'worktrees'],
]
/** The same where git is not in the main checkout. */
const OF_MAIN = ['HEAD', 'index']
const NEEDS: ReadonlyMap<string, readonly string[]> = new Map([
  ['init', ['exomonad']],
  ['sparse-checkout', ['config', 'config.worktree', 'worktrees']],
  // Objects of submodules are linked, within one mount alone.
  ['submodule', ['modules', 'worktrees']],
  ['update-ref', ['packed-refs']],
  ['worktree', ['worktrees']],
])
/** In a worktree that nobody has worked in yet, from the repository beside it. */
const FILLS = new Set(['sparse-checkout', 'submodule'])
const PARTIAL = /^\s*promisor = true$/m

/**
 * What git that the daemon runs may write, of all that it sees. References, their logs, objects and
 * what a worktree has of its own are written by confined agents as well: a link among them leads
 * anywhere, and git appends to what it leads to, or puts a file in its place.
 *
 * In a worktree that is what an agent there may write, elsewhere SHARED. The git folder itself is
 * one in memory: git makes locks there, which are for nobody else as long as no packed reference is
 * taken away. It is the real one, without KEPT, in the main checkout and for a command of NEEDS.
 */
export async function gitWrites(
  { commonDir, worktrees }: Pick<Paths, 'commonDir' | 'worktrees'>,
  { command, args, cwd, env }: GitCommand,
): Promise<Mount[]> {
  const inCommonDir = (names: readonly string[]): string[] =>
    names.map((name) => join(commonDir, name))
  const gitDir = cwd === commonDir ? cwd : await realpath(await gitDirOf(cwd)).catch(() => cwd)
  const isMain = gitDir === commonDir && cwd !== commonDir
  const isLinked = isWithin(gitDir, join(commonDir, 'worktrees')) && !FILLS.has(command)
  const makesRef = args.includes('--create-reflog')
  const needs = isLinked || makesRef ? [] : (NEEDS.get(command) ?? [])
  const kept = isMain ? KEPT : [...KEPT, ...OF_MAIN]
  const place = command === 'worktree' && args.includes('--') ? args[args.indexOf('--') + 1] : ''
  const objects = env['GIT_OBJECT_DIRECTORY']
  const packs = join(commonDir, 'objects', 'pack')
  const config = await readFile(join(commonDir, 'config'), 'utf8').catch(() => '')
  return [
    ...(isLinked
      ? gitMounts({ worktree: cwd, commonDir, gitDir, emptyFile: '', hasOwnConfig: true })
      : [write(cwd)]),
    ...(isMain || needs.length > 0
      ? [write(commonDir)]
      : [none(commonDir), ...inCommonDir(SHARED).map(write)]),
    ...inCommonDir(kept.filter((name) => !needs.includes(name))).map(read),
    ...Object.values(worktrees).map(read),
    ...(place ? [write(dirname(place))] : []),
    read(join(commonDir, 'objects', 'info')),
    // Large files, and what a partial clone fetches, make packs. Neither is written by a log.
    command === 'add' || PARTIAL.test(config) ? write(packs) : read(packs),
    // Of what is looked at and not to be among the repository’s own (adapters/git/radar).
    ...(objects === undefined ? [] : [write(objects)]),
  ]
}
