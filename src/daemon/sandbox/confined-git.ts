import { createHash } from 'node:crypto'
import { lstat, mkdir, readFile, realpath, writeFile } from 'node:fs/promises'
import { basename, delimiter, dirname, join, resolve } from 'node:path'
import { bubblewrapArguments, mountsInOrder } from '../../adapters/sandbox/bubblewrap.ts'
import { ownConfig, ownGitFolder } from '../../adapters/sandbox/own-git-folder.ts'
import type { Confinement, Mount } from '../../adapters/sandbox/sandbox.ts'
import {
  GIT_SETTINGS,
  gitMounts,
  machineMounts,
  toolFolders,
} from '../../adapters/sandbox/workspace.ts'
import type { Environment } from '../../config/environment.ts'
import { exec as direct, type Exec } from '../../processes/exec.ts'
import type { Paths } from '../../runtime/paths.ts'
import { gitWrites, type GitCommand } from './git-mounts.ts'

type Places = Pick<Paths, 'commonDir' | 'state' | 'worktrees'>
type Options = NonNullable<Parameters<Exec>[2]>

/** What goes into repositories inside of a worktree. */
const LOOKS = new Set(['add', 'diff', 'status'])
/** Where a forge is asked: over a network, with the person’s keys. */
const REMOTE = new Set(['clone', 'fetch', 'ls-remote', 'pull', 'push', 'remote'])
/** The repository itself, as a remote. */
const ITSELF = '.'

const marksOf = ({ state }: Pick<Paths, 'state'>): string => join(state, 'confined-worktrees')

const markOf = (paths: Pick<Paths, 'state'>, worktree: string): string =>
  join(marksOf(paths), createHash('sha256').update(worktree).digest('hex'))

/** Whether an agent of this repository was ever confined. */
export const wasEverConfined = (paths: Pick<Paths, 'state'>): Promise<boolean> =>
  isThere(marksOf(paths))

/** From here on git treats this worktree as `confinedGit` has it. */
export async function markConfined(paths: Pick<Paths, 'state'>, worktree: string): Promise<void> {
  await mkdir(marksOf(paths), { recursive: true, mode: 0o700 })
  await writeFile(markOf(paths, worktree), worktree, { mode: 0o600 })
}

/**
 * Runs programs as ever, but git where an agent was ever confined: what such an agent wrote must not
 * have git, outside, do what the agent can’t.
 *
 * Where it looks at the worktree of one, git has what the agent has, and no network: it goes into
 * repositories inside of that and runs filters that their configuration names. So it has in a
 * repository of its submodules, whose configuration and alternates the agent writes. In all else
 * it writes what its command is there for (git-mounts.ts), whatever links lead to.
 */
export function confinedGit({
  paths,
  environment: { home, path },
  exec,
}: {
  paths: Places
  environment: Pick<Environment, 'home' | 'path'>
  exec: Exec
}): Exec {
  let ignored: Promise<string[]> | undefined
  let everConfined = false

  /** Where the person’s own patterns of ignored files are. */
  const excludesFile = async (options: Options): Promise<string[]> => {
    const args = ['config', '--path', '--get', 'core.excludesFile']
    const { exitCode, stdout } = await exec('git', args, { ...options, cwd: paths.commonDir })
    return exitCode === 0 ? [stdout.trim()] : []
  }

  /**
   * The worktree of one that was confined, where git is to work in a repository that such an agent
   * writes: of a submodule, by its folder or below the worktree.
   */
  const submoduleOf = async (args: readonly string[], cwd: string): Promise<string | undefined> => {
    const named = args.findLast((arg) => arg.startsWith('--git-dir='))?.slice('--git-dir='.length)
    const record =
      named === undefined
        ? undefined
        : above(resolve(cwd, named), [join(paths.commonDir, 'worktrees')])
    const worktree =
      record === undefined
        ? above(cwd, Object.values(paths.worktrees))
        : await worktreeOf(record, Object.values(paths.worktrees))
    if (worktree === undefined || worktree === cwd) return undefined
    return (await isThere(markOf(paths, worktree))) ? worktree : undefined
  }

  const asTheAgent = async (
    worktree: string,
    cwd: string,
    options: Options,
  ): Promise<Confinement> => {
    ignored ??= excludesFile(options)
    const globals = options.env?.['GIT_CONFIG_GLOBAL']
    const objects = options.env?.['GIT_OBJECT_DIRECTORY']
    const { commonDir } = paths
    const reads = [
      ...GIT_SETTINGS.map((name) => join(home, name)),
      ...(await ignored),
      ...(globals === undefined ? [] : [globals]),
      // Filters of the person’s own, such as git-lfs.
      ...toolFolders(path.split(delimiter), { home, secret: [paths.state, join(home, '.ssh')] }),
      ...(await alternates(commonDir)),
    ]
    const gitDir = await ownGitFolder(worktree, commonDir)
    const mounts: Mount[] = [
      ...machineMounts({ home, reads }),
      ...gitMounts({ worktree, commonDir, gitDir, ...(await ownConfig(paths, gitDir)) }),
      { path: paths.state, access: 'none' },
      { path: '/tmp', access: 'none' },
      // Where what is looked at is not to be among the repository’s own (adapters/git/radar).
      ...(objects === undefined ? [] : [{ path: objects, access: 'write' as const }]),
    ]
    return { level: 'offline', mounts, cwd, unset: [] }
  }

  const inRepository = async (git: GitCommand): Promise<string[]> => [
    ...['--unshare-user', '--die-with-parent', '--ro-bind', '/', '/'],
    // With a memory of its own in /dev/shm, where its temporary files are: everyone's are beside
    // the repository, too.
    ...['--dev', '/dev', '--setenv', 'TMPDIR', '/dev/shm'],
    // `git worktree remove` looks at one, and would write its index.
    ...['--setenv', 'GIT_OPTIONAL_LOCKS', '0'],
    ...mountsInOrder(await gitWrites(paths, git)),
    ...['--chdir', git.cwd],
  ]

  return async (file, args, options = {}) => {
    const command = commandIn(args)
    const isRemote = REMOTE.has(command) && !args.includes(ITSELF)
    if (file !== 'git' || isRemote) return exec(file, args, options)
    everConfined ||= await wasEverConfined(paths)
    if (!everConfined) return exec(file, args, options)
    const { cwd = paths.commonDir } = options
    const inside = LOOKS.has(command) && (await isThere(markOf(paths, cwd))) ? cwd : undefined
    const worktree = inside ?? (await submoduleOf(args, cwd))
    const before =
      worktree !== undefined
        ? ['--die-with-parent', ...bubblewrapArguments(await asTheAgent(worktree, cwd, options))]
        : command === 'config'
          ? undefined
          : await inRepository({ command, args, cwd, env: options.env ?? {} })
    return before === undefined
      ? exec(file, args, options)
      : // It ends with its parent: that is this process then.
        direct('bwrap', [...before, '--', file, ...args], options)
  }
}

/** What git is to do: its first argument that is neither an option nor the value of one. */
const commandIn = (args: readonly string[]): string =>
  args.find((arg, index) => !arg.startsWith('-') && args[index - 1] !== '-c') ?? ''

/** What lies right in one of these folders, and the path in it. */
const above = (path: string, folders: readonly string[]): string | undefined => {
  const folder = folders.find((one) => path.startsWith(`${one}/`))
  const [name = ''] = folder === undefined ? [] : path.slice(folder.length + 1).split('/')
  return folder === undefined || name === '' ? undefined : join(folder, name)
}

/** Which worktree in these folders a record of git’s is of: git writes it down without symlinks. */
async function worktreeOf(record: string, folders: readonly string[]): Promise<string | undefined> {
  const real = (path: string): Promise<string | null> => realpath(path).catch(() => null)
  const pointer = (await readFile(join(record, 'gitdir'), 'utf8').catch(() => '')).trim()
  const found = pointer === '' ? null : await real(dirname(resolve(record, pointer)))
  if (found === null) return undefined
  for (const path of folders.map((folder) => join(folder, basename(found))))
    if ((await real(path)) === found) return path
  return undefined
}

const isThere = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  )

/** Where objects of the repository are borrowed from. */
async function alternates(commonDir: string): Promise<string[]> {
  const objects = join(commonDir, 'objects')
  const text = await readFile(join(objects, 'info', 'alternates'), 'utf8').catch(() => '')
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => resolve(objects, line))
}
