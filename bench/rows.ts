import type { Agent } from '../src/domain/records.ts'
import { newAgentDefaults } from '../src/core/spawn/new-agent.ts'
import { asBranchName, newAgentId } from '../src/domain/ids.ts'

/** A whole row of an agent for a store, from the few facts that matter to a measurement. */
export function agentRow(
  facts: Pick<Agent, 'name' | 'kind' | 'parentId' | 'depth'> & Partial<Agent>,
): Agent {
  const id = newAgentId()
  return {
    ...newAgentDefaults(Date.now()),
    id,
    runtime: 'pane',
    role: facts.kind === 'worker' ? 'dev' : 'tl',
    agentCli: 'idle',
    branch: asBranchName(`main.${facts.name}`),
    baseBranch: asBranchName('main'),
    forkPoint: null,
    worktree: `/nowhere/${facts.name}`,
    ownsWorktree: facts.kind !== 'root',
    adopted: false,
    task: 'Nothing to do.',
    state: 'completed',
    exitCode: 0,
    endedAt: Date.now(),
    tokenHash: id,
    ...facts,
  }
}
