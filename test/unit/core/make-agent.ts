import type { Agent } from '../../../src/domain/records.ts'
import { newAgentDefaults } from '../../../src/core/spawn/new-agent.ts'
import { asBranchName, newAgentId } from '../../../src/domain/ids.ts'

/** An agent with nothing special about it but what is given. */
export function makeAgent(facts: Partial<Agent> = {}): Agent {
  const name = facts.name ?? 'worker'
  return {
    ...newAgentDefaults(0),
    id: newAgentId(),
    name,
    kind: 'worker',
    runtime: 'pane',
    role: 'dev',
    agentCli: 'script',
    parentId: null,
    depth: 1,
    branch: asBranchName(`main.${name}`),
    baseBranch: asBranchName('main'),
    forkPoint: null,
    worktree: `/repository/.exomonad/worktrees/${name}`,
    ownsWorktree: true,
    adopted: false,
    task: '',
    state: 'running',
    tokenHash: '',
    ...facts,
  }
}
