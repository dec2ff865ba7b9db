import type { Agent } from '../../domain/records.ts'

/**
 * What is the same for every agent that nothing has happened to yet. `now` in ms since the epoch.
 */
export const newAgentDefaults = (now: number) =>
  ({
    paneId: null,
    pid: null,
    sessionId: null,
    transcript: null,
    stateReason: null,
    stateSource: 'daemon',
    stateAt: now,
    outcome: null,
    exitCode: null,
    exitSignal: null,
    lastSeenAt: now,
    tools: null,
    tokens: 0,
    usage: null,
    toolCalls: 0,
    stopBlocker: null,
    stopBlocks: 0,
    stopReason: null,
    rebaseTries: 0,
    spawnedAt: now,
    endedAt: null,
    reapedAt: null,
    cleanedAt: null,
  }) as const satisfies Partial<Agent>

/**
 * Of one that works in its parent’s worktree, on its branch: a fork, a session, a process. Nothing
 * of these is ever removed with it.
 */
export const sharedWorktreeFields = ({ id, role, depth, branch, worktree }: Agent) => ({
  role,
  parentId: id,
  depth: depth + 1,
  branch,
  baseBranch: null,
  forkPoint: null,
  worktree,
  ownsWorktree: false,
  adopted: true,
})
