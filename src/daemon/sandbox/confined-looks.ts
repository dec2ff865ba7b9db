import { createHash } from 'node:crypto'
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { delimiter, join, resolve } from 'node:path'
import { bubblewrapArguments } from '../../adapters/sandbox/bubblewrap.ts'
import type { Mount } from '../../adapters/sandbox/sandbox.ts'
import { GIT_SETTINGS, machineMounts, toolFolders } from '../../adapters/sandbox/workspace.ts'
import type { Environment } from '../../config/environment.ts'
import { exec, type Exec } from '../../processes/exec.ts'
import type { Paths } from '../../runtime/paths.ts'

type Places = Pick<Paths, 'commonDir' | 'state'>

/** Commands of git that look into repositories inside of a worktree. */
const LOOKS = new Set(['status', 'diff'])

const markOf = ({ state }: Places, worktree: string): string =>
  join(state, 'confined-worktrees', createHash('sha256').update(worktree).digest('hex'))

/** From here on git looks at this worktree as `confinedLooks` has it. */
export async function markConfined(paths: Places, worktree: string): Promise<void> {
  const mark = markOf(paths, worktree)
  await mkdir(join(mark, '..'), { recursive: true, mode: 0o700 })
  await writeFile(mark, worktree, { mode: 0o600 })
}

/**
 * Runs programs as ever, but git where it looks at the worktree of an agent that was ever confined:
 * to say what is changed it goes into repositories inside of that, and runs filters of their
 * configuration, which the agent has written. There it may read what the agent may, and write and
 * reach nothing.
 */
export function confinedLooks(
  paths: Places,
  environment: Pick<Environment, 'home' | 'path'>,
): Exec {
  const { home, path } = environment
  let ignored: Promise<string[]> | undefined

  /** Where the person’s own patterns of ignored files are. */
  const excludesFile = async (options: Parameters<Exec>[2]): Promise<string[]> => {
    const args = ['config', '--path', '--get', 'core.excludesFile']
    const { exitCode, stdout } = await exec('git', args, { ...options, cwd: paths.commonDir })
    return exitCode === 0 ? [stdout.trim()] : []
  }

  const mountsFor = async (
    worktree: string,
    options: NonNullable<Parameters<Exec>[2]>,
  ): Promise<Mount[]> => {
    ignored ??= excludesFile(options)
    const globals = options.env?.['GIT_CONFIG_GLOBAL']
    const reads = [
      ...GIT_SETTINGS.map((name) => join(home, name)),
      ...(await ignored),
      ...(globals === undefined ? [] : [globals]),
      // Filters of the person’s own, such as git-lfs.
      ...toolFolders(path.split(delimiter), { home, secret: [paths.state, join(home, '.ssh')] }),
      paths.commonDir,
      ...(await alternates(paths.commonDir)),
      worktree,
    ]
    return [
      ...machineMounts({ home, reads }),
      { path: paths.state, access: 'none' },
      { path: '/tmp', access: 'none' },
    ]
  }

  return async (file, args, options = {}) => {
    const { cwd } = options
    const isLook = file === 'git' && cwd !== undefined && args.some((arg) => LOOKS.has(arg))
    if (!isLook || !(await isThere(markOf(paths, cwd)))) return exec(file, args, options)
    const mounts = await mountsFor(cwd, options)
    const confined = bubblewrapArguments({ level: 'offline', mounts, cwd, unset: [] })
    return exec('bwrap', [...confined, '--', file, ...args], options)
  }
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
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
