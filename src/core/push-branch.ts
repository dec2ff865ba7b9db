import type { Agent } from '../adapters/store/store.ts'
import { ExomonadError } from '../errors.ts'
import type { Sha } from '../ids.ts'
import type { Deps } from './deps.ts'
import { knownPulls } from './pull-records.ts'

/**
 * Pushes an agent’s branch to the forge’s remote. History that was rewritten here (a rebase) replaces the remote’s only where the remote still
 * has what was seen there before (recorded at each push and each look at the pull request); commits from elsewhere are never overwritten.
 */
export interface BranchPush {
  push(agent: Agent, head: Sha): Promise<void>
  /** What the remote’s branch is known to have had. */
  recorded(agent: Agent): Promise<Set<string>>
}

export function createBranchPush({ store, git, forge }: Pick<Deps, 'store' | 'git' | 'forge'>): BranchPush {
  const recorded: BranchPush['recorded'] = async (agent) => {
    const seen = new Set<string>()
    const pushed = (await store.snapshots.get(`pushed:${agent.branch}`))?.['sha']
    if (typeof pushed === 'string') seen.add(pushed)
    for (const pull of await knownPulls(store)) {
      if (pull.head.branch === agent.branch) seen.add(pull.head.sha)
      // What merge_pr made of a child's pull request is the agent's own history too: it was brought into its worktree.
      if (pull.base.branch === agent.branch && pull.mergeSha !== null) seen.add(pull.mergeSha)
    }
    return seen
  }

  return {
    recorded,
    push: async (agent, head) => {
      const tip = await git.remoteTip(forge.remote, agent.branch)
      if (tip !== head) {
        const forward = tip === null || ((await git.resolve(tip)) !== null && (await git.isAncestor(tip, head)))
        if (!forward && !(await recorded(agent)).has(tip)) {
          throw new ExomonadError(
            'HEAD_CHANGED',
            `${agent.branch} on ${forge.remote} has commits that your worktree lacks (${tip.slice(0, 8)}). Run \`git pull --rebase ${forge.remote} ${agent.branch}\`, then try again.`,
            { branch: agent.branch, remote_head: tip },
          )
        }
        const result = await git.push(forge.remote, { sha: head, branch: agent.branch, expected: tip })
        if (result.kind === 'rejected') {
          throw new ExomonadError(
            'HEAD_CHANGED',
            `${forge.remote} refused the push of ${agent.branch}: ${result.reason}. Fetch, look at what changed there, then try again.`,
            {
              branch: agent.branch,
              reason: result.reason,
            },
          )
        }
      }
      await store.snapshots.put(`pushed:${agent.branch}`, { sha: head })
    },
  }
}
