import { join } from 'node:path'
import {
  movedError,
  setUpElsewhere,
  type SetUpElsewhere,
} from '../../../config/moved-repository.ts'
import {
  readRepositoryFile,
  writeRepositoryFile,
  type RepositoryFile,
} from '../../../config/repository-file.ts'
import {
  ensureOwnerToken,
  removeUserState,
  writeRepositoryRecord,
} from '../../../config/user-state.ts'
import { pathsOf, type Paths } from '../../../runtime/paths.ts'
import { assertHuman } from '../connect.ts'
import type { CliContext } from '../context.ts'
import { storeConfig } from '../daemon/store-config.ts'
import type { LocatedRepository } from '../locate.ts'

interface Moved {
  readonly how: SetUpElsewhere
  /** As it was set up, there. */
  readonly file: RepositoryFile
  readonly paths: Paths
  readonly worktree: string
  /** Of the root, here. */
  readonly rootWorktree: string
}

/** The set-up around a folder, where it is of another place; null where it is not. */
async function findMoved(context: CliContext): Promise<Moved | null> {
  const { environment, host } = context
  const { cwd } = context.options()
  const facts = await host.inspectRepository(cwd).catch(() => null)
  if (facts === null || facts.worktree === null) return null
  const { commonDir, worktree } = facts
  const file = await readRepositoryFile(join(commonDir, 'exomonad', 'repository.json'))
  if (file === null || environment.variables['GIT_DIR'] !== undefined) return null
  const how = await setUpElsewhere(file, commonDir)
  if (how === null) return null
  const home = facts.bare ? worktree : (facts.mainWorktree ?? worktree)
  const paths = pathsOf(commonDir, home)
  const root = file.rootWorktree
  // A linked worktree elsewhere did not move with it.
  const moves = root === file.home || root.startsWith(`${file.home}/`)
  const rootWorktree = moves ? home + root.slice(file.home.length) : root
  const moved = { how, file, paths, worktree, rootWorktree }
  await assertHuman(cwd, environment, { ...moved, file: { ...file, rootWorktree } })
  return moved
}

/**
 * Takes over the tree of a repository that was moved, with its agents stopped. Returns where it was;
 * null where it is where it was set up. REPOSITORY_MOVED in a copy.
 */
export async function takeOverMoved(context: CliContext): Promise<string | null> {
  const { environment, host } = context
  const moved = await findMoved(context)
  if (moved === null) return null
  const { file, paths, rootWorktree } = moved
  const { commonDir, home } = paths
  if (moved.how === 'copied') throw movedError('copied', file, commonDir)
  const before = await host.backup.placeBefore({ file, paths })
  const store = await storeConfig(context, paths)
  await host.backup.takeOverMoved({ file, paths, rootWorktree, store })
  const socket = await host.chooseSocket(commonDir)
  await ensureOwnerToken(environment, commonDir)
  await writeRepositoryRecord(environment, { commonDir, home, socket, pid: null })
  await writeRepositoryFile(paths.repositoryFile, { ...file, home, rootWorktree, socket })
  if (before.commonDir !== commonDir) await removeUserState(environment, before.commonDir)
  return file.home
}

/**
 * A copy of a repository, ready to have exomonad taken out of it: its worktrees and remotes lead to
 * the original no more. Null where it is none.
 */
export async function locateCopy(context: CliContext): Promise<LocatedRepository | null> {
  const { host } = context
  const moved = await findMoved(context)
  if (moved?.how !== 'copied') return null
  const { file, paths, rootWorktree, worktree } = moved
  const before = await host.backup.placeBefore({ file, paths })
  await host.backup.relinkCopy({ file, paths, rootWorktree })
  const git = await host.git(paths.commonDir)
  for (const [name, url] of await git.remotes())
    if (url === pathsOf(before.commonDir, before.home).origin) await git.removeRemote(name)
  const socket = await host.chooseSocket(paths.commonDir)
  return { paths, worktree, file: { ...file, home: paths.home, rootWorktree, socket } }
}
