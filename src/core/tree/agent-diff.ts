import { ExomonadError } from '../../domain/errors.ts'
import type { AgentId } from '../../domain/ids.ts'
import type { Agent } from '../../domain/records.ts'
import { showControls } from '../../sanitize/controls.ts'
import { findAgent } from '../agents/directory.ts'
import type { Deps } from '../deps.ts'

export interface AgentDiff {
  agent_id: AgentId
  /** Branch that it is compared with; null for a root without one, which is with its own commit. */
  base: string | null
  /** Commit of the base that it starts from. */
  from_sha: string
  /** What is committed; null where its branch is gone. */
  head_sha: string
  /** What is not committed is in it: false where its worktree is gone. */
  uncommitted: boolean
  diff: string
}

/**
 * What an agent changed against its base, with what it has not committed; no pull request is
 * needed. NOT_AVAILABLE where neither worktree nor branch are left.
 */
export function createAgentDiff({
  store,
  git,
}: Pick<Deps, 'store' | 'git'>): (address: string) => Promise<AgentDiff> {
  return async (address) => {
    const agent = await findAgent(store.agents, address)
    const head = await git.resolve(`refs/heads/${agent.branch}`)
    if (head === null) throw nothingLeft(agent)
    const base =
      agent.baseBranch === null ? null : await git.resolve(`refs/heads/${agent.baseBranch}`)
    // The base may be gone: the fork point is on record.
    const from =
      agent.baseBranch === null
        ? head
        : ((base === null ? null : await git.mergeBase(base, head)) ?? agent.forkPoint ?? head)
    const tree =
      agent.cleanedAt === null ? await git.snapshotTree(agent.worktree).catch(() => null) : null
    return {
      agent_id: agent.id,
      base: agent.baseBranch,
      from_sha: from,
      head_sha: head,
      uncommitted: tree !== null,
      diff: showControls(await git.diffTrees(from, tree ?? head)),
    }
  }
}

const nothingLeft = ({ id, name, branch }: Agent): ExomonadError =>
  new ExomonadError(
    'NOT_AVAILABLE',
    `The branch of ${name}, ${branch}, is gone: there is nothing left to compare.`,
    { agent: id },
  )
