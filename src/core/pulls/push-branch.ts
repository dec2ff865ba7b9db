import type { Agent } from '../../domain/records.ts'
import { ExomonadError } from '../../domain/errors.ts'
import type { Sha } from '../../domain/ids.ts'
import type { Deps } from '../deps.ts'

/**
 * Pushes an agent’s branch to the forge’s remote. History that was rewritten here (a rebase)
 * replaces the remote’s only where all that the remote has was on the branch here before; commits
 * from elsewhere are never overwritten.
 */
export interface BranchPush {
  /**
   * HEAD_CHANGED where the remote has other commits, or refuses; FORGE_DENIED where its rules do.
   */
  push(agent: Agent, head: Sha): Promise<void>
  /**
   * The branch here has held that commit, so that nothing of anybody’s is lost where it is
   * replaced.
   */
  hasHeld(agent: Agent, tip: Sha): Promise<boolean>
}

/**
 * What GitHub’s rules say against a push, of all that git has printed; null where it was something
 * else.
 */
function rulesIn(reason: string): string | null {
  if (!/GH013|GH006|repository rule violations/i.test(reason)) return null
  const said = reason
    .split('; ')
    .flatMap((line) => (line.startsWith('- ') ? [line.slice(2).replace(/\.$/, '')] : []))
  return said.length === 0 ? reason : said.join('; ')
}

export function createBranchPush({
  store,
  git,
  forge,
}: Pick<Deps, 'store' | 'git' | 'forge'>): BranchPush {
  const key = (agent: Agent) => `pushed:${agent.branch}`
  // The branch’s own log first; what was pushed is remembered for branches without one.
  const hasHeld: BranchPush['hasHeld'] = async (agent, tip) =>
    (await git.hasHeld(agent.branch, tip)) ||
    (await store.snapshots.get(key(agent)))?.['sha'] === tip

  return {
    hasHeld,
    push: async (agent, head) => {
      const tip = await git.remoteTip(forge.remote, agent.branch)
      if (tip !== head) {
        const forward =
          tip === null || ((await git.resolve(tip)) !== null && (await git.isAncestor(tip, head)))
        if (!forward && !(await hasHeld(agent, tip))) {
          // What is advised works without the forge’s token, which agents may lack.
          await git.fetch(forge.remote, [agent.branch])
          throw new ExomonadError(
            'HEAD_CHANGED',
            `${agent.branch} on ${forge.remote} has commits that your worktree lacks (${tip.slice(0, 8)}). They are fetched: run \`git rebase ${forge.remote}/${agent.branch}\`, then try again.`,
            { branch: agent.branch, remote_head: tip },
          )
        }
        const result = await git.push(forge.remote, {
          sha: head,
          branch: agent.branch,
          expected: tip,
        })
        // Refused also where somebody else brought the same there in the same instant: the stop
        // check, beside a filing.
        if (
          result.kind === 'rejected' &&
          (await git.remoteTip(forge.remote, agent.branch)) !== head
        ) {
          const rules = rulesIn(result.reason)
          if (rules !== null) {
            throw new ExomonadError(
              'FORGE_DENIED',
              `The rules of ${forge.remote} refuse the push of ${agent.branch}: ${rules}. \`exomonad doctor\` says which ruleset it is and what to do.`,
              { branch: agent.branch, reason: result.reason },
            )
          }
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
      await store.snapshots.put(key(agent), { sha: head })
    },
  }
}
