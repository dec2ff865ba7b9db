import type { Agent } from '../../../src/adapters/store/store.ts'
import { asBranchName, newAgentId } from '../../../src/ids.ts'

/** An agent with nothing special about it but what is given. */
export function makeAgent(facts: Partial<Agent> = {}): Agent {
  const name = facts.name ?? 'worker'
  return {
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
    paneId: null,
    pid: null,
    sessionId: null,
    transcript: null,
    task: '',
    state: 'running',
    stateReason: null,
    stateSource: 'daemon',
    stateAt: 0,
    outcome: null,
    exitCode: null,
    exitSignal: null,
    lastSeenAt: 0,
    tokens: 0,
    toolCalls: 0,
    stopObjection: null,
    stopBlocks: 0,
    stopExcuse: null,
    rebaseTries: 0,
    spawnedAt: 0,
    endedAt: null,
    reapedAt: null,
    tokenHash: '',
    ...facts,
  }
}
