import type { AgentId } from '../../domain/ids.ts'
import type { TakenOver } from './take-over.ts'

/** What the journal holds, so that a crash can be undone or finished. */
export interface SpawnIntent extends Record<string, unknown> {
  readonly agentId: string
  readonly branch: string
  readonly worktree: string
  /** Empty where it makes no branch. */
  readonly forkPoint: string
  readonly makesBranch: boolean
  readonly makesWorktree: boolean
  /** Of a fork, which is not known by its branch. */
  readonly name?: string
  /** The capture that becomes its prompt: whose it is, and where it ends there. */
  readonly capture?: { readonly agentId: AgentId; readonly line: number }
  /** Whose branch and worktree it goes on with. */
  readonly from?: TakenOver
  /** Its failure was published. */
  readonly told?: boolean
}
