import type { AgentId, BranchName } from '../../domain/ids.ts'
import type { CacheBounds } from '../../adapters/machine/workplace/setup-cache.ts'
import type { Agent } from '../../domain/records.ts'

export interface Maintenance {
  /**
   * Takes all dead agents out of sight; worktrees, branches, records and transcripts stay. `next`
   * is the first living agent.
   */
  reap(): Promise<{ reaped: AgentId[]; next: AgentId }>
  /** Compares records with what is true and fixes the records. Safe to call at any time. */
  reconcile(): Promise<void>
  /** Finishes or undoes what a crash cut off. Called once, before anything else. */
  recover(): Promise<{ finished: number; undone: number }>
  /**
   * Takes away worktrees and branches that are proven merged; says what it keeps and why. `kill`
   * ends the programs of those that are done; of those at these addresses alone, where there are
   * any.
   */
  clean(options: { dryRun: boolean; kill: boolean; addresses: readonly string[] }): Promise<{
    /** `warnings`: what failed of its teardown. */
    removed: { agent: string; branch: string; worktree: string; warnings?: string[] }[]
    kept: { agent: string; branch: string; worktree: string; reason: string }[]
  }>
  /**
   * Runs the teardown commands in these worktrees of agents whose program has ended, for whoever is
   * about to remove them; returns what failed.
   */
  tearDown(worktrees: readonly string[]): Promise<string[]>
  /** Forgets what set-up commands made beyond these bounds, what was used last at last. */
  pruneSetupCache(bounds: CacheBounds): Promise<{ entries: number; bytes: number }>
  /**
   * Has the tree grow from the branch that is checked out in the root’s worktree; `moved` is false
   * where it does.
   */
  moveRoot(): Promise<{
    from: BranchName
    to: BranchName
    worktree: string
    moved: boolean
    warnings: string[]
  }>
  /** Registers the root on the branch of this worktree; `already` where it is. */
  registerRoot(worktree: string): Promise<{ agent: Agent; already: boolean }>
}
