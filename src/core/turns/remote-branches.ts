import type { Agent } from '../../domain/records.ts'
import { asExomonadError } from '../../domain/errors.ts'
import type { BranchName, Sha } from '../../domain/ids.ts'
import type { Deps } from '../deps.ts'
import type { MergeBase } from '../pulls/merge/base.ts'
import { ownerOf } from '../pulls/merge/settle.ts'
import type { BranchPush } from '../pulls/push-branch.ts'
import type { StopBlocker } from './stop-check.ts'

/** What the remote has of an agent’s branch and its base, brought here. */
export interface RemoteBranches {
  /** Tip of the remote’s branch, as of the last fetch. */
  tracked(branch: string): Promise<Sha | null>
  /** What its parent has committed itself, and nobody has pushed, is to reach it too. */
  publishBase(base: BranchName): Promise<void>
  /**
   * Returns those that were fetched: the remote may lack some, which were never pushed, or deleted
   * there after a merge.
   */
  fetchKnown(branches: readonly BranchName[]): Promise<readonly BranchName[]>
  /** Returns the head afterwards, or the objection. `own`: what the remote has of the branch. */
  catchUp(agent: Agent, head: Sha, own: Sha | null): Promise<Sha | StopBlocker>
}

export function createRemoteBranches({
  store,
  git,
  forge,
  log,
  branchPush,
  mergeBase,
}: Pick<Deps, 'store' | 'git' | 'forge' | 'log'> & {
  mergeBase: Pick<MergeBase, 'publish'>
  branchPush: BranchPush
}): RemoteBranches {
  const tracked = (branch: string) => git.resolve(`refs/remotes/${forge.remote}/${branch}`)

  const publishBase = async (base: BranchName): Promise<void> => {
    const [local, known] = await Promise.all([git.resolve(`refs/heads/${base}`), tracked(base)])
    if (
      local === null ||
      local === known ||
      (known !== null && (await git.isAncestor(local, known)))
    )
      return
    try {
      const reason = await mergeBase.publish(base, ownerOf(await store.agents.list(), base))
      if (reason !== undefined)
        log.info(
          { branch: base, reason },
          'commits of a base could not be pushed; its children go by what was',
        )
    } catch (thrown) {
      log.warn(
        { err: thrown, branch: base },
        'commits of a base could not be pushed; its children go by what was',
      )
    }
  }

  const fetchKnown = async (branches: readonly BranchName[]): Promise<readonly BranchName[]> => {
    if (branches.length === 0) return []
    try {
      await git.fetch(forge.remote, branches)
      return branches
    } catch (thrown) {
      const missing = asExomonadError(thrown).facts['branch']
      const others = branches.filter((branch) => branch !== missing)
      if (others.length === branches.length) throw thrown
      return fetchKnown(others)
    }
  }

  const catchUp = async (agent: Agent, head: Sha, own: Sha | null): Promise<Sha | StopBlocker> => {
    if (own === null || own === head || (await git.isAncestor(own, head))) return head
    if (await git.isAncestor(head, own)) {
      const result = await git.fastForward(agent.worktree, own)
      return result.kind === 'synced'
        ? result.head
        : { kind: 'diverged', branch: agent.branch, remote: forge.remote }
    }
    // Neither contains the other: its own rewritten history, unless somebody else’s commits are
    // there.
    return (await branchPush.hasHeld(agent, own))
      ? head
      : { kind: 'diverged', branch: agent.branch, remote: forge.remote }
  }

  return { tracked, publishBase, fetchKnown, catchUp }
}
