import { ExomonadError } from '../errors.ts'
import type { Admission } from './admission.ts'
import type { SessionStart } from './agent-sessions.ts'
import type { Approvals } from './approvals.ts'
import type { Agent } from '../adapters/store/store.ts'
import type { Deps } from './deps.ts'
import type { Launcher } from './launch.ts'
import type { SpawnStart } from './spawn-start.ts'
import type { SpawnUndo } from './spawn-undo.ts'

export type SessionStartDeps = Pick<Deps, 'store' | 'git' | 'files' | 'settings' | 'prompts' | 'clock' | 'log'> & {
  launcher: Launcher
  admission: Admission
  start: SpawnStart
  undo: SpawnUndo
  approvals: Approvals
  /** Names of the listed tools that an agent may call. */
  toolsOf: (agent: Pick<Agent, 'role' | 'tools'>) => readonly string[]
}

/** Sessions of the Agent Client Protocol in their caller’s worktree: reserved, journaled, started and taken back as every spawn is. */
export function createSessionStart(_deps: SessionStartDeps): SessionStart {
  const missing = (): Promise<never> => Promise.reject(new ExomonadError('NOT_AVAILABLE', 'Sub-agent tools not available: not built yet.'))
  return { start: missing, ended: missing }
}
