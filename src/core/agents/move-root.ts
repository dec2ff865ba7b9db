import { sharesBranch } from '../../domain/agent-kinds.ts'
import { ExomonadError } from '../../domain/errors.ts'
import type { BranchName, Sha } from '../../domain/ids.ts'
import type { Maintenance } from '../maintenance/maintenance-use-cases.ts'
import type { Deps } from '../deps.ts'
import type { Directory } from './directory.ts'
import { hasProgram } from '../../domain/lifecycle.ts'

/**
 * The tree grows from the branch that is checked out in the root’s worktree. Agents there are stay
 * children of the root, with their branches and bases: the root answers them and merges their work
 * into where it goes, as before.
 */
export function createMoveRoot({
  store,
  git,
  forge,
  publisher,
  directory,
}: Pick<Deps, 'store' | 'git' | 'forge' | 'publisher'> & {
  directory: Pick<Directory, 'root'>
}): Maintenance['moveRoot'] {
  /** What was merged into it while nobody had it checked out. Returns why it lacks that. */
  const bringIn = async (
    worktree: string,
    branch: BranchName,
    head: Sha,
  ): Promise<string | null> => {
    const tip = await git.resolve(`refs/remotes/${forge.remote}/${branch}`)
    if (tip === null || tip === head || (await git.isAncestor(tip, head))) return null
    const result = await git.fastForward(worktree, tip)
    return result.kind === 'synced'
      ? null
      : `${branch} lacks what ${forge.remote} has of it: ${result.reason}`
  }

  return async () => {
    const { worktree, ...before } = await directory.root()
    const { branch, head } = await git.status(worktree)
    const then = 'then run `exomonad root move` again'
    if (branch === null)
      throw new ExomonadError(
        'DETACHED_HEAD',
        `${worktree} is on no branch. Check out the one that the tree is to grow from, ${then}.`,
        { worktree },
      )
    if (head === null)
      throw new ExomonadError(
        'NO_COMMITS',
        `${branch} has no commit yet: agents need one to start from. Commit something, ${then}.`,
        { branch },
      )
    if (branch === before.branch)
      return { from: branch, to: branch, worktree, moved: false, warnings: [] }
    await store.transaction(async (tx) => {
      const agents = await tx.agents.list()
      const taken = agents.find(
        (agent) => agent.branch === branch && !sharesBranch(agent) && agent.cleanedAt === null,
      )
      if (taken !== undefined) {
        throw new ExomonadError(
          'BRANCH_EXISTS',
          `${branch} is the branch of the agent ${taken.name}, which files it against ${taken.baseBranch ?? 'nothing'}. Make another one from it (\`git checkout -b NAME\`), ${then}.`,
          {
            branch,
            agent: taken.id,
          },
        )
      }
      // Forks of the root and sessions in its worktree have no branch of their own.
      for (const agent of agents) {
        if (agent.kind !== 'root' && !(sharesBranch(agent) && agent.worktree === worktree)) continue
        await tx.agents.update(agent.id, {
          branch,
          stopBlocker: null,
          stopBlocks: 0,
          stopReason: null,
        })
      }
      const payload = { from: before.branch, to: branch, worktree, program: hasProgram(before) }
      await publisher.publish(
        { type: 'tree.moved', agentId: before.id, actor: 'human', payload },
        tx,
      )
    })
    const lacking = await bringIn(worktree, branch, head)
    return {
      from: before.branch,
      to: branch,
      worktree,
      moved: true,
      warnings: lacking === null ? [] : [lacking],
    }
  }
}
