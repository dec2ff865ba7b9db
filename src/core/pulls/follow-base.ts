import type { Agent } from '../../domain/records.ts'
import type { Deps } from '../deps.ts'
import { knownPulls } from './pull-records.ts'

/**
 * Looks at the agent’s open pull request anew: one that somebody merged, closed or pointed
 * elsewhere on the forge is known before anything is built on it. A base that was changed there is
 * the agent’s from then on. Returns the agent as it is then.
 */
export type FollowBase = (agent: Agent) => Promise<Agent>

export function createFollowBase({
  store,
  git,
  forge,
  polling,
}: Pick<Deps, 'store' | 'git' | 'forge' | 'polling'>): FollowBase {
  /** A merge that is under way records or takes back by itself what it pointed elsewhere. */
  const isMoved = async (number: number): Promise<boolean> =>
    (await store.journal.open()).some(
      ({ kind, data }) =>
        kind === 'merge' &&
        Array.isArray(data['retargeted']) &&
        data['retargeted'].includes(number),
    )
  const openOf = async (agent: Agent) =>
    (await knownPulls(store)).findLast(
      (pull) => pull.state === 'open' && pull.head.branch === agent.branch,
    )

  return async (agent) => {
    const known = await openOf(agent)
    if (known === undefined) return agent
    const wasMoved = await isMoved(known.number)
    await polling.poll([known.number])
    const open = await openOf(agent)
    // The root’s base follows the configuration.
    if (open === undefined || agent.kind === 'root' || open.base.branch === agent.baseBranch)
      return agent
    if (wasMoved || (await isMoved(open.number))) return agent
    const base = open.base.branch
    if (
      (await git.resolve(`refs/heads/${base}`)) === null &&
      (await git.remoteTip(forge.remote, base)) === null
    )
      return agent
    await store.agents.update(agent.id, { baseBranch: base })
    return { ...agent, baseBranch: base }
  }
}
