import { mkdir } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { createBubblewrap } from '../../adapters/sandbox/bubblewrap.ts'
import { programFiles } from '../../adapters/sandbox/program-files.ts'
import type { Mount } from '../../adapters/sandbox/sandbox.ts'
import { machineMounts, toolFolders } from '../../adapters/sandbox/workspace.ts'
import type { Environment } from '../../config/environment.ts'
import type { Config } from '../../config/schema.ts'
import { exec } from '../../processes/exec.ts'
import type { Paths } from '../../runtime/paths.ts'
import { wasEverConfined } from './confined-git.ts'
import { exposing, resolverFiles, UNSET } from './confine.ts'
import { openWays } from './open-ways.ts'

/** A check of the local forge that is about to be run in `folder`, on the checkout `worktree`. */
export interface CheckProgram {
  readonly folder: string
  readonly worktree: string
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

export type ConfineCheck = (program: CheckProgram) => Promise<Pick<CheckProgram, 'argv' | 'env'>>

/**
 * Checks execute what agents wrote. Where one was ever confined a check is as well, by the strictest
 * that is configured: it writes its own folder, reads the repository, and what `[sandbox]` adds.
 */
export function createConfineCheck(options: {
  readonly paths: Paths
  readonly environment: Environment
  readonly config: () => Config
}): ConfineCheck {
  const { paths, environment } = options
  const sandbox = createBubblewrap({
    exec,
    env: { PATH: environment.path, LC_ALL: 'C' },
    platform: process.platform,
  })

  return async ({ folder, worktree, argv, env }) => {
    if (!(await wasEverConfined(paths))) return { argv, env }
    const config = options.config()
    const level = strictestOf(config)
    const home = environment.home
    const path = env['PATH'] ?? environment.path
    const hidden = [
      paths.state,
      join(environment.stateHome, 'exomonad'),
      ...['.ssh', '.gnupg'].map((name) => join(home, name)),
    ]
    const temporary = join(folder, 'tmp')
    await mkdir(temporary, { recursive: true })
    const reads = [
      ...toolFolders(path.split(delimiter), {
        home,
        secret: [...hidden, ...Object.values(paths.worktrees)],
      }),
      ...(await programFiles(argv[0] ?? '', path)),
      ...(await programFiles(process.execPath, path)),
      ...(await resolverFiles()),
      paths.commonDir,
    ]
    const { read, write } = config.sandbox
    const given = async (some: readonly string[], access: 'read' | 'write'): Promise<Mount[]> =>
      (await exposing(some, { home, hidden })).map((place) => ({ path: place, access }))
    const mounts: Mount[] = [
      ...machineMounts({ home, reads }),
      ...['/run', '/var/tmp', paths.state].map((place) => ({
        path: place,
        access: 'none' as const,
      })),
      { path: '/tmp', source: temporary, access: 'write' },
      ...(await given(read, 'read')),
      ...(await given(write, 'write')),
      { path: folder, access: 'write' },
    ]
    const ways =
      level === 'offline'
        ? await openWays({ folder, cwd: worktree, env, listens: [], hosts: [], config })
        : undefined
    const inside = [...(ways?.inside ?? []), ...argv]
    return {
      argv: [
        ...(ways?.outside ?? []),
        ...(await sandbox.argv({ level, mounts, cwd: worktree, unset: UNSET }, inside)),
      ],
      env: { ...env, ...ways?.env, TMPDIR: '/tmp' },
    }
  }
}

const strictestOf = ({ roles, agents }: Config): 'workspace' | 'offline' =>
  [...Object.values(roles), ...Object.values(agents)].some(({ sandbox }) => sandbox === 'offline')
    ? 'offline'
    : 'workspace'
