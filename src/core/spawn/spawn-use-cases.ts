import type { Caller } from '../../domain/caller.ts'
import type { ErrorCode } from '../../domain/error-codes.ts'
import type { AgentId } from '../../domain/ids.ts'
import type { WakeFor } from './held-children.ts'

export interface SpawnedAgent {
  agent_id: AgentId
  name: string
  branch: string
  worktree: string
  pane: string
  session: 'forked' | 'fresh'
  warnings: string[]
}

export interface SpawnError {
  name: string
  error: string
  code: ErrorCode
}

export interface SpawnSpec {
  readonly kind: 'subtree' | 'worker'
  readonly name: string
  readonly prompt: string
  readonly agent?: string | undefined
  readonly role?: string | undefined
  readonly parentSessionId?: string | undefined
  /** Adopt this existing branch (and its worktree, if it has one). */
  readonly branch?: string | undefined
  /** Folders that its worktree is to have; default: as configured. */
  readonly sparse?: readonly string[] | undefined
  /**
   * Number of the forge’s issue that it is to work on: its words are the task, in front of the
   * prompt; an empty name is made of it.
   */
  readonly issue?: number | undefined
  /** The label by which that issue was chosen, where no person did so here. */
  readonly label?: string | undefined
}

export interface SpawnOptions {
  readonly allowDirty?: boolean | undefined
  /** A second agent for an issue that one works on already. */
  readonly again?: boolean | undefined
  /** When news of them wakes the caller. Default: each. */
  readonly wake?: WakeFor | undefined
}

export interface SpawnPlan {
  name: string
  branch: string
  worktree: string
  base: string
  fork_point: string
  agent: string
  argv: string[]
}

export interface Spawning {
  /**
   * Throws where it fails as a whole; one bad spec is an entry in `errors`. `since`: the same was
   * asked for then, and cut off; what came of that is in the result, and only the rest is spawned.
   * Milliseconds since the epoch.
   */
  spawn(
    caller: Caller,
    specs: readonly SpawnSpec[],
    options?: SpawnOptions & { since?: number | null | undefined },
  ): Promise<{ spawned: SpawnedAgent[]; errors: SpawnError[] }>
  /** What spawn would do, nothing done. */
  plan(
    caller: Caller,
    specs: readonly SpawnSpec[],
    options?: SpawnOptions,
  ): Promise<{ planned: SpawnPlan[]; errors: SpawnError[] }>
}
