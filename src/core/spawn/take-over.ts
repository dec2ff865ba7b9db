import { sharesBranch } from '../../domain/agent-kinds.ts'
import { ExomonadError } from '../../domain/errors.ts'
import { isAlive } from '../../domain/lifecycle.ts'
import type { Agent } from '../../domain/records.ts'
import type { StoreVerbs } from '../../adapters/store/store.ts'
import type { AgentId } from '../../domain/ids.ts'

/** The ended agent whose branch and worktree a new one goes on with. */
export interface TakenOver {
  readonly agentId: AgentId
  /** As it was before, for a spawn that is taken back. */
  readonly reapedAt: number | null
}

/** The agent whose branch it is; one whose worktree was cleaned away leaves it to others. */
export const agentOnBranch = (agents: readonly Agent[], branch: string): Agent | undefined =>
  agents.find(
    (agent) => agent.branch === branch && !sharesBranch(agent) && agent.cleanedAt === null,
  )

/** BRANCH_EXISTS where its owner lives, or somebody lives in its worktree. */
export function requireOver(owner: Agent, agents: readonly Agent[]): void {
  const living = isAlive(owner.state)
    ? owner
    : agents.find(
        (agent) => sharesBranch(agent) && isAlive(agent.state) && agent.worktree === owner.worktree,
      )
  if (living === undefined) return
  const why =
    living === owner
      ? `is the branch of the agent ${owner.name}, which is alive: send it more work, or kill it first`
      : `is the branch of the agent ${owner.name}, and ${living.name} still works in its worktree: kill that first`
  throw new ExomonadError('BRANCH_EXISTS', `${owner.branch} ${why}.`, {
    branch: owner.branch,
    agent: living.id,
  })
}

/** From here on branch and worktree are another’s; the ended agent is out of sight. */
export async function takeOver(
  tx: Pick<StoreVerbs, 'agents'>,
  { id, reapedAt }: Agent,
  at: number,
): Promise<TakenOver> {
  await tx.agents.update(id, { cleanedAt: at, reapedAt: reapedAt ?? at })
  return { agentId: id, reapedAt }
}

/** The spawn came to nothing. */
export const giveBack = (
  tx: Pick<StoreVerbs, 'agents'>,
  { agentId, reapedAt }: TakenOver,
): Promise<unknown> => tx.agents.update(agentId, { cleanedAt: null, reapedAt })

/**
 * BRANCH_EXISTS where another goes on with what an ended agent was at, or with what it was at beside
 * another (a fork, a session).
 */
export function requireOwnBranch(agents: readonly Agent[], id: AgentId): void {
  const agent = agents.find((one) => one.id === id)
  if (agent === undefined) return
  const home = homeOf(agent, agents)
  if (home === undefined || home.cleanedAt === null) return
  const owner = agentOnBranch(agents, home.branch)
  if (owner === undefined || owner.id === home.id) return
  throw new ExomonadError(
    'BRANCH_EXISTS',
    `${owner.name} goes on with the work of ${home.name}, on ${home.branch}. Send that more work.`,
    { branch: home.branch, agent: owner.id },
  )
}

/** Whose branch and worktree an agent works on: its own, or those of an agent above it. */
function homeOf(agent: Agent, agents: readonly Agent[]): Agent | undefined {
  let home: Agent | undefined = agent
  while (home !== undefined && sharesBranch(home)) {
    const { parentId }: Agent = home
    home = agents.find(({ id }) => id === parentId)
  }
  return home
}
