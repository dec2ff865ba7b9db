import { mkdir } from 'node:fs/promises'
import { inspectRepository } from '../adapters/git/repository.ts'
import { acquireInstanceLock } from '../adapters/machine/instance-lock.ts'
import { gitEnvironment, type Environment } from '../config/environment.ts'
import { movedError, setUpElsewhere } from '../config/moved-repository.ts'
import { readRepositoryFile, type RepositoryFile } from '../config/repository-file.ts'
import { ExomonadError } from '../domain/errors.ts'
import type { Exec } from '../processes/exec.ts'
import { foldersOf, pathsOf, type Paths } from '../runtime/paths.ts'
import type { Releaser } from './releaser.ts'

export interface ClaimedRepository {
  /** Absolute path of the folder that all its worktrees share. */
  readonly commonDir: string
  readonly paths: Paths
  readonly socket: RepositoryFile['socket']
  readonly rootWorktree: RepositoryFile['rootWorktree']
}

/**
 * Makes this process the one daemon of the repository that `cwd` is in, until `release`. Its
 * folders are there then. NOT_INITIALIZED, REPOSITORY_MOVED, ALREADY_RUNNING.
 */
export async function claimRepository(options: {
  readonly cwd: string
  readonly environment: Environment
  readonly release: Releaser
  readonly exec: Exec
}): Promise<ClaimedRepository> {
  const { cwd, environment, release, exec } = options
  const { commonDir, mainWorktree } = await inspectRepository(
    cwd,
    gitEnvironment(environment),
    exec,
  )
  const repository = await readRepositoryFile(
    pathsOf(commonDir, mainWorktree ?? cwd).repositoryFile,
  )
  if (repository === null)
    throw new ExomonadError(
      'NOT_INITIALIZED',
      `exomonad is not set up in ${cwd}. Run \`exomonad init\`.`,
    )
  // Variables of git's say which folders belong together.
  const elsewhere =
    environment.variables['GIT_DIR'] === undefined
      ? await setUpElsewhere(repository, commonDir)
      : null
  if (elsewhere !== null) throw movedError(elsewhere, repository, commonDir)
  const paths = pathsOf(commonDir, repository.home)
  for (const folder of foldersOf(paths)) {
    await mkdir(folder, { recursive: true, mode: 0o700 })
  }
  const lock = acquireInstanceLock(paths.lock)
  if (lock.kind === 'held') {
    throw new ExomonadError(
      'ALREADY_RUNNING',
      `A daemon${lock.pid === null ? '' : ` (process ${lock.pid})`} serves ${paths.home} already.`,
      { pid: lock.pid },
    )
  }
  release.add('lock', () => lock.release())
  const { socket, rootWorktree } = repository
  return { commonDir, paths, socket, rootWorktree }
}
