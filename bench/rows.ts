import type { Agent } from '../src/adapters/store/store.ts'
import { asBranchName, newAgentId } from '../src/ids.ts'

/** A whole row of an agent for a store, from the few facts that matter to a measurement. */
export function agentRow(facts: Pick<Agent, 'name' | 'kind' | 'parentId' | 'depth'> & Partial<Agent>): Agent {
  const id = newAgentId()
  return {
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
    paneId: null,
    pid: null,
    sessionId: null,
    transcript: null,
    task: 'Nothing to do.',
    state: 'completed',
    stateReason: null,
    stateSource: 'daemon',
    stateAt: Date.now(),
    outcome: null,
    exitCode: 0,
    exitSignal: null,
    lastSeenAt: Date.now(),
    tokens: 0,
    toolCalls: 0,
    stopObjection: null,
    stopBlocks: 0,
    stopExcuse: null,
    rebaseTries: 0,
    spawnedAt: Date.now(),
    endedAt: Date.now(),
    reapedAt: null,
    tokenHash: id,
    ...facts,
  }
}
