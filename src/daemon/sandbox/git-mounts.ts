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

/** Of the git folder, what no agent writes, and of git’s commands only those in NEEDS. */
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
 * In a worktree that is what an agent there may write. Its git folder is one in memory beside that:
 * git makes locks there, which are for nobody else as long as no packed reference is taken away.
 * About the repository as a whole, and in the main checkout, it is the git folder without KEPT, but
 * for what the command is there for.
 */
export async function gitWrites(
  { commonDir, origin, worktrees }: Pick<Paths, 'commonDir' | 'origin' | 'worktrees'>,
  { command, args, cwd, env }: GitCommand,
): Promise<Mount[]> {
  const inCommonDir = (names: readonly string[]): string[] =>
    names.map((name) => join(commonDir, name))
  const gitDir = cwd === commonDir ? cwd : await realpath(await gitDirOf(cwd)).catch(() => cwd)

  const inWorktree = (): Mount[] => [
    ...gitMounts({ worktree: cwd, commonDir, gitDir, emptyFile: '', hasOwnConfig: true }),
    none(commonDir),
    ...inCommonDir([...KEPT, ...OF_MAIN]).map(read),
    ...inCommonDir(['logs', 'lfs']).map(write),
  ]
  const inRepository = (): Mount[] => {
    const makesRef = args.includes('--create-reflog')
    const needs = makesRef ? [] : (NEEDS.get(command) ?? [])
    const isMain = gitDir === commonDir && cwd !== commonDir
    const kept = isMain ? KEPT : [...KEPT, ...OF_MAIN]
    const place = command === 'worktree' && args.includes('--') ? args[args.indexOf('--') + 1] : ''
    return [
      ...inCommonDir(kept.filter((name) => !needs.includes(name))).map(read),
      ...Object.values(worktrees).map(read),
      ...[commonDir, cwd].map(write),
      ...(place ? [write(dirname(place))] : []),
      ...(args.includes(`--git-dir=${origin}`) ? [write(origin)] : []),
    ]
  }

  const packs = join(commonDir, 'objects', 'pack')
  const objects = env['GIT_OBJECT_DIRECTORY']
  const config = await readFile(join(commonDir, 'config'), 'utf8').catch(() => '')
  const isLinked = isWithin(gitDir, join(commonDir, 'worktrees')) && !FILLS.has(command)
  return [
    ...(isLinked ? inWorktree() : inRepository()),
    read(join(commonDir, 'objects', 'info')),
    // Large files, and what a partial clone fetches, make packs. Neither is written by a log.
    command === 'add' || PARTIAL.test(config) ? write(packs) : read(packs),
    // Of what is looked at and not to be among the repository’s own (adapters/git/radar).
    ...(objects === undefined ? [] : [write(objects)]),
  ]
}
