import { ExomonadError } from '../../domain/errors.ts'
import type { BranchName, Sha } from '../../domain/ids.ts'
import type { Caller } from '../../domain/caller.ts'
import type { Deps } from '../deps.ts'
import { requireAlive } from '../agents/directory.ts'
import { wrongBranch } from '../agents/wrong-branch.ts'

/** The branch children start from: the caller’s own, at the commit it has now. */
export interface Base {
  readonly branch: BranchName
  readonly sha: Sha
  readonly warnings: readonly string[]
}

/**
 * Reads the base of the caller’s children. ALREADY_DEAD, DIRTY_WORKTREE, DETACHED_HEAD, NO_COMMITS,
 * and whatever says that its worktree is on another branch than its own.
 */
export const createSpawnBase =
  ({ git }: Pick<Deps, 'git'>) =>
  async (caller: Caller, allowDirty: boolean): Promise<Base> => {
    const { agent } = caller
    if (agent.kind !== 'root') requireAlive(agent, 'spawn from')
    const status = await git.status(agent.worktree)
    if (status.operation !== null) {
      throw new ExomonadError(
        'DIRTY_WORKTREE',
        `A ${status.operation} is in progress in ${agent.worktree}: children would start from the middle of it. Finish it (\`git ${status.operation} --continue\`) or abort it, then spawn.`,
        { worktree: agent.worktree, operation: status.operation },
      )
    }
    if (status.branch === null) {
      throw new ExomonadError(
        'DETACHED_HEAD',
        `${agent.worktree} is on no branch. Check out ${agent.branch} there, then spawn.`,
        {
          worktree: agent.worktree,
        },
      )
    }
    if (status.branch !== agent.branch) throw wrongBranch(caller, agent, status.branch, 'spawn')
    if (status.head === null)
      throw new ExomonadError(
        'NO_COMMITS',
        `${agent.branch} has no commit yet. Commit something, then spawn.`,
      )
    // What `init` wrote may stay uncommitted: children are run by this configuration, wherever it
    // is.
    const dirty = status.dirty.filter((path) => !path.startsWith('.exomonad/'))
    if (dirty.length > 0 && !allowDirty) {
      const shown = dirty.slice(0, 20)
      throw new ExomonadError(
        'DIRTY_WORKTREE',
        `${agent.worktree} has uncommitted changes that children would not see: ${shown.join(', ')}${dirty.length > shown.length ? ` and ${dirty.length - shown.length} more` : ''}. Commit them, or spawn with allow_dirty (\`--allow-dirty\`).`,
        { worktree: agent.worktree, files: shown },
      )
    }
    const warnings =
      dirty.length > 0
        ? [
            `The child’s worktree lacks ${dirty.length} uncommitted file${dirty.length === 1 ? '' : 's'} of ${agent.branch}.`,
          ]
        : []
    return { branch: agent.branch, sha: status.head, warnings }
  }
