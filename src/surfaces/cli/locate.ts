import { realpath } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import type { Environment } from '../../config/environment.ts'
import { movedError, setUpElsewhere } from '../../config/moved-repository.ts'
import { readRepositoryFile, type RepositoryFile } from '../../config/repository-file.ts'
import { ExomonadError } from '../../domain/errors.ts'
import { pathsOf, type Paths } from '../../runtime/paths.ts'
import { findRepository } from '../../config/find-repository.ts'
import type { Host } from './host.ts'

/** A repository in which exomonad is set up. */
export interface LocatedRepository {
  readonly paths: Paths
  readonly file: RepositoryFile
  /** Root of the worktree the command was called in; null in a bare repository’s own folder. */
  readonly worktree: string | null
}

/**
 * The set-up repository around a folder. Git is only asked where the files alone do not say.
 * NOT_A_REPOSITORY, NOT_INITIALIZED, REPOSITORY_MOVED.
 */
export async function locateRepository(
  cwd: string,
  environment: Environment,
  host: Host,
): Promise<LocatedRepository> {
  const redirected =
    environment.variables['GIT_DIR'] !== undefined ||
    environment.variables['GIT_COMMON_DIR'] !== undefined
  const found = redirected ? undefined : await findRepository(cwd).catch(() => undefined)
  const known = found === undefined ? null : await readSetUp(found.commonDir)
  if (known !== null && found !== undefined) {
    await requireOwn(known.file, found.commonDir)
    return { ...known, worktree: found.worktree }
  }
  const facts = await host.inspectRepository(cwd)
  const setUp = await readSetUp(facts.commonDir)
  if (setUp === null) {
    throw new ExomonadError(
      'NOT_INITIALIZED',
      facts.worktree === null
        ? `exomonad is not set up in ${facts.commonDir}. Run \`exomonad init\` in one of its worktrees.`
        : `exomonad is not set up in ${facts.worktree}. Run \`exomonad init\` there.`,
      {
        repository: facts.commonDir,
      },
    )
  }
  if (!redirected) await requireOwn(setUp.file, facts.commonDir)
  return { ...setUp, worktree: facts.worktree }
}

async function requireOwn(file: RepositoryFile, commonDir: string): Promise<void> {
  const elsewhere = await setUpElsewhere(file, commonDir)
  if (elsewhere !== null) throw movedError(elsewhere, file, commonDir)
}

async function readSetUp(
  commonDir: string,
): Promise<Pick<LocatedRepository, 'paths' | 'file'> | null> {
  const file = await readRepositoryFile(join(commonDir, 'exomonad', 'repository.json'))
  return file === null ? null : { file, paths: pathsOf(commonDir, file.home) }
}

/**
 * The folder is inside a worktree that exomonad made, for an agent or for the check of its work:
 * what runs there is not the owner.
 */
export async function isInAgentWorktree(cwd: string, paths: Paths): Promise<boolean> {
  const [to, ...made] = await Promise.all(
    [cwd, ...Object.values(paths.worktrees), paths.ciWork].map(realOrSame),
  )
  return made.some((from) => {
    const way = relative(from, to ?? cwd)
    return way !== '' && way !== '..' && !way.startsWith(`..${sep}`)
  })
}

const realOrSame = (path: string): Promise<string> => realpath(path).catch(() => path)
