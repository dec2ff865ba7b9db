import { mkdir, readdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Git, WorktreeEntry } from '../../../adapters/git/git.ts'
import type { Environment } from '../../../config/environment.ts'
import { removeUserState } from '../../../config/user-state.ts'
import { asExomonadError } from '../../../domain/errors.ts'
import { parentBranch, type BranchName, type Sha } from '../../../domain/ids.ts'
import { isInWorktrees, RADAR_INDEX, SNAPSHOT_INDEX } from '../../../runtime/paths.ts'
import type { Host } from '../host.ts'
import { EXCLUDE_LINES, sha256 } from './initialize.ts'
import type { LocatedRepository } from '../locate.ts'
import { unsharedBranches } from '../doctor/unshared-branches.ts'

export interface Kept {
  readonly path: string
  readonly branch: string | null
  readonly reason: string
}
export interface Dismantled {
  readonly removed: readonly string[]
  readonly kept: readonly Kept[]
  readonly branches_left: readonly string[]
}

interface DismantleDeps {
  readonly located: LocatedRepository
  readonly environment: Environment
  readonly host: Host
  /** Remove a configuration that was changed, too; never one that git tracks. */
  readonly force: boolean
  /** The records are of a tree elsewhere: no init could take them up. */
  readonly copy?: boolean
}

/**
 * Takes exomonad out of a repository whose agents and daemon are stopped. Branches stay. Worktrees
 * go where they are clean and their branch is proven merged; everything else stays, with its
 * reason, and so does what it needs.
 */
export async function dismantle(deps: DismantleDeps): Promise<Dismantled> {
  const { paths, file } = deps.located
  const git = await deps.host.git(paths.commonDir)
  const removed: string[] = []
  const kept: Kept[] = []

  const branches = await removeWorktrees(git, deps, removed, kept)
  const worktreesLeft = kept.length > 0

  const unshared = await unsharedBranches(deps.host, paths)
  for (const [name, url] of await git.remotes()) {
    if (url !== paths.origin) continue
    if (unshared.length > 0) {
      kept.push({
        path: paths.origin,
        branch: null,
        reason: `remote ${name} holds commits that are nowhere else, on ${unshared.join(', ')}`,
      })
    } else {
      await git.removeRemote(name)
      removed.push(`remote ${name}`)
    }
  }

  await removeConfiguration(deps, removed, kept)
  if (!worktreesLeft) {
    await git.unexclude([...(file.made?.excludes ?? []), ...EXCLUDE_LINES])
    removed.push('lines in .git/info/exclude')
  }
  for (const pool of Object.values(paths.pools)) await git.endPool(pool, paths.trash)
  for (const root of Object.values(paths.worktrees)) await removeIfEmpty(root)
  await removeIfEmpty(paths.config)
  const recordsLeft = worktreesLeft && deps.copy !== true
  await removeState(
    deps,
    { worktreesLeft: recordsLeft, originLeft: unshared.length > 0 },
    removed,
    kept,
  )
  // What is left of the forge’s repository borrows what is kept for it.
  if (!worktreesLeft && unshared.length === 0) await git.endLending()
  if (worktreesLeft && deps.copy === true) {
    await mkdir(paths.state, { recursive: true, mode: 0o700 })
    await writeFile(paths.accepted, '', { mode: 0o600 })
    const reason = 'a mark that `exomonad init` may begin anew beside the worktrees that are left'
    kept.push({ path: paths.accepted, branch: null, reason })
  }
  await git.removeFormerSnapshots()
  await git.forgetSnapshots()
  await removeUserState(deps.environment, paths.commonDir)
  return { removed, kept, branches_left: branches }
}

/** The branch that the tree grows from; null where its worktree can’t say. */
const rootBranchOf = async (
  git: Git,
  { file }: Pick<LocatedRepository, 'file'>,
): Promise<BranchName | null> =>
  (await git.status(file.rootWorktree).catch(() => undefined))?.branch ?? null

/** Why a worktree of an agent stays; null where it is clean and its branch is proven merged. */
async function reasonToStay(
  git: Git,
  worktree: WorktreeEntry,
  rootBranch: BranchName | null,
): Promise<string | null> {
  if (worktree.prunable) return null
  const { operation, dirty } = await git.status(worktree.path)
  if (operation !== null) return `a ${operation} is in progress`
  if (dirty.length > 0)
    return `uncommitted changes: ${dirty.slice(0, 3).join(', ')}${dirty.length > 3 ? ' …' : ''}`
  const tipOf = (branch: string | null): Promise<Sha | null> =>
    branch === null ? Promise.resolve(null) : git.resolve(`refs/heads/${branch}`)
  const base = worktree.branch === null ? null : parentBranch(worktree.branch)
  const targets = [await tipOf(base), await tipOf(rootBranch)]
  return (await isSafe(git, worktree.head, targets)) ? null : 'not proven merged'
}

/** Paths of the worktrees that would go now. */
export async function worktreesThatGo(
  git: Git,
  located: Pick<LocatedRepository, 'paths' | 'file'>,
): Promise<string[]> {
  const rootBranch = await rootBranchOf(git, located)
  const going: string[] = []
  for (const worktree of await git.worktrees()) {
    if (!isInWorktrees(worktree.path, located.paths) || worktree.prunable) continue
    const reason = await reasonToStay(git, worktree, rootBranch).catch(() => 'it can’t be read')
    if (reason === null) going.push(worktree.path)
  }
  return going
}

/** Returns the branches that agents worked on, as far as their names or worktrees show. */
async function removeWorktrees(
  git: Git,
  { located }: DismantleDeps,
  removed: string[],
  kept: Kept[],
): Promise<string[]> {
  const rootBranch = await rootBranchOf(git, located)
  const branches = new Set(
    [...(await git.branches()).keys()].filter(
      (branch) => rootBranch !== null && branch.startsWith(`${rootBranch}.`),
    ),
  )
  for (const worktree of await git.worktrees()) {
    if (!isInWorktrees(worktree.path, located.paths)) continue
    if (worktree.branch !== null) branches.add(worktree.branch)
    const stays = (reason: string): void =>
      void kept.push({ path: worktree.path, branch: worktree.branch, reason })
    try {
      const reason = await reasonToStay(git, worktree, rootBranch)
      if (reason !== null) {
        stays(reason)
        continue
      }
      await git.removeWorktree(worktree.path)
      removed.push(worktree.path)
    } catch (error) {
      stays(asExomonadError(error).message)
    }
  }
  return [...branches].sort()
}

/** Nothing was committed, or all of it is in one of the targets. */
async function isSafe(
  git: Git,
  head: Sha | null,
  targets: readonly (Sha | null)[],
): Promise<boolean> {
  if (head === null) return false
  for (const into of targets)
    if (into !== null && (into === head || (await git.isMerged(head, into)))) return true
  return false
}

async function removeConfiguration(
  { located, host, force }: DismantleDeps,
  removed: string[],
  kept: Kept[],
): Promise<void> {
  const { paths, file } = located
  const text = await readFile(paths.configFile, 'utf8').catch(() => null)
  if (text === null) return
  const tracked = await host.trackedFiles(paths).catch(() => ['.exomonad/config.toml'])
  const stays = (reason: string): void =>
    void kept.push({ path: paths.configFile, branch: null, reason })
  if (tracked.includes('.exomonad/config.toml')) return stays('git tracks it')
  if (!force && sha256(text) !== file.made?.config)
    return stays(
      file.made?.config == null ? 'it was there before init' : 'you changed it; --force removes it',
    )
  await rm(paths.configFile)
  removed.push(paths.configFile)
}

/** A git that a killed daemon left behind may write there to its end. */
const ALL_OF_IT = { recursive: true, force: true, maxRetries: 10, retryDelay: 50 } as const

/** With worktrees left, the records stay, so that another init finds the tree as it was. */
async function removeState(
  { located }: DismantleDeps,
  left: { worktreesLeft: boolean; originLeft: boolean },
  removed: string[],
  kept: Kept[],
): Promise<void> {
  const { paths, file } = located
  await rm(file.socket, { force: true })
  await removeIndexes(paths.commonDir)
  if (dirname(file.socket) !== paths.state) await removeIfEmpty(dirname(file.socket))
  if (left.worktreesLeft) {
    await rm(paths.repositoryFile, { force: true })
    kept.push({
      path: paths.state,
      branch: null,
      reason: 'records of the work that is left; `exomonad init` takes it up again',
    })
    return
  }
  if (!left.originLeft) {
    await rm(paths.state, ALL_OF_IT)
    removed.push(paths.state)
    return
  }
  for (const name of await readdir(paths.state)) {
    const entry = join(paths.state, name)
    if (entry !== paths.origin) await rm(entry, ALL_OF_IT)
  }
}

/** Of the main worktree and of all others. */
async function removeIndexes(commonDir: string): Promise<void> {
  const worktrees = join(commonDir, 'worktrees')
  const linked = (await readdir(worktrees).catch(() => [])).map((name) => join(worktrees, name))
  for (const folder of [commonDir, ...linked])
    for (const name of await readdir(folder).catch(() => []))
      if (name.startsWith(SNAPSHOT_INDEX) || name.startsWith(RADAR_INDEX))
        await rm(join(folder, name), { recursive: true, force: true })
}

const removeIfEmpty = (folder: string): Promise<void> => rmdir(folder).catch(() => {})
