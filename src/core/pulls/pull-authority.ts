import { sharesBranch } from '../../domain/agent-kinds.ts'
import type { PullRequestSnapshot } from '../../adapters/forge/forge.ts'
import type { Agent } from '../../domain/records.ts'
import { baseMergers, placed } from '../../domain/base-owner.ts'
import { ExomonadError } from '../../domain/errors.ts'
import type { Caller } from '../../domain/caller.ts'
import { requireBelow } from '../agents/directory.ts'
import { ancestorsOf } from '../agents/tree.ts'

/** The agent whose work it is. */
export const authorOf = (agents: readonly Agent[], pull: PullRequestSnapshot): Agent | undefined =>
  agents.find((agent) => agent.id === pull.agentId) ??
  (pull.trusted
    ? agents.findLast((agent) => agent.branch === pull.head.branch && !sharesBranch(agent))
    : undefined)

/**
 * The owner of the branch that it goes into, or whoever stands above that: not somebody in
 * between, whose branch it only passed. NOT_A_CHILD.
 */
export function requireAbove(
  agents: readonly Agent[],
  caller: Caller,
  author: Agent,
  pull: PullRequestSnapshot,
  verb: string,
): void {
  const owners = baseMergers(placed(agents), author.id, pull.base.branch)
  if (owners.some(({ id }) => id === caller.agent.id)) return
  requireBelow(agents, caller, author, verb)
  const owner = owners.at(-1)
  if (owner === undefined || ancestorsOf(agents, owner.id).some(({ id }) => id === caller.agent.id))
    return
  throw new ExomonadError(
    'NOT_A_CHILD',
    `#${pull.number} goes into ${pull.base.branch} by now: ${owner.name} looks after it, not you.`,
    {
      number: pull.number,
      base: pull.base.branch,
      owner: owner.id,
    },
  )
}
