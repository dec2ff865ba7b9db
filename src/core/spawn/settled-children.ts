import type { PullRequestSnapshot } from '../../adapters/forge/forge.ts'
import type { StoreVerbs } from '../../adapters/store/store.ts'
import { sharesBranch } from '../../domain/agent-kinds.ts'
import type { AgentId } from '../../domain/ids.ts'
import { isAlive, isInCall } from '../../domain/lifecycle.ts'
import type { Agent } from '../../domain/records.ts'
import { knownPulls, mergedBranches } from '../pulls/pull-records.ts'
import { isBlocked, isReady } from '../pulls/readiness.ts'
import { isRestKnown } from '../turns/rest.ts'

/**
 * Of these children the ones of which something is still to be expected before anybody else has
 * acted: they are not ready to be merged, have not ended, do not rest and wait for nobody.
 */
export async function unsettledOf(tx: StoreVerbs, ids: Iterable<AgentId>): Promise<Agent[]> {
  const asking = new Set((await tx.questions.open()).map(({ agentId }) => agentId))
  const pulls = await knownPulls(tx)
  const merged = mergedBranches(pulls)
  const unsettled: Agent[] = []
  for (const id of ids) {
    const child = await tx.agents.get(id)
    if (child === undefined || !isAlive(child.state) || asking.has(id)) continue
    if (child.state === 'waiting' && !isInCall(child)) continue
    if (!(await hasSettledWork(tx, child, pulls, merged))) unsettled.push(child)
  }
  return unsettled
}

async function hasSettledWork(
  tx: Pick<StoreVerbs, 'snapshots'>,
  child: Agent,
  pulls: readonly PullRequestSnapshot[],
  merged: ReadonlySet<string>,
): Promise<boolean> {
  const pull = sharesBranch(child) ? undefined : openPullOf(child, pulls)
  if (pull !== undefined && !pull.draft)
    return isReady(pull) || isBlocked(pull) || pull.scheduled !== undefined
  if (!sharesBranch(child) && merged.has(child.branch)) return true
  return child.state === 'idle' && (await isRestKnown(tx, child.id))
}

export const openPullOf = (
  { branch }: Pick<Agent, 'branch'>,
  pulls: readonly PullRequestSnapshot[],
): PullRequestSnapshot | undefined =>
  pulls.findLast(({ head, state }) => head.branch === branch && state === 'open')
