import type { Agent } from '../domain/records.ts'
import type { Deps } from './deps.ts'

export interface Acting {
  /**
   * Writes down that somebody else than its own program acts as an agent, before what it does,
   * which is recorded as the agent’s.
   */
  record(agent: Pick<Agent, 'id'>, tool: string, by: 'person' | 'program'): Promise<void>
}

export const createActing = ({ publisher }: Pick<Deps, 'publisher'>): Acting => ({
  record: async (agent, tool, by) => {
    await publisher.publish({
      type: 'agent.acted_for',
      agentId: agent.id,
      actor: 'human',
      payload: { tool, by },
    })
  },
})
