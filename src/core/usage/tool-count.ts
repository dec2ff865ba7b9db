import type { Agent } from '../../domain/records.ts'
import type { AgentId } from '../../domain/ids.ts'
import type { Deps } from '../deps.ts'

/**
 * Counts one tool call, also where several are reported at once. Returns the agent as it is then;
 * undefined where it is gone.
 */
export const countTool = (
  { store, clock }: Pick<Deps, 'store' | 'clock'>,
  id: AgentId,
): Promise<Agent | undefined> =>
  store.transaction(async (tx) => {
    const agent = await tx.agents.get(id)
    if (agent === undefined) return undefined
    const patch = { toolCalls: agent.toolCalls + 1, lastSeenAt: clock() }
    await tx.agents.update(id, patch)
    return { ...agent, ...patch }
  })
