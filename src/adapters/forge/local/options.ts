import type { Log } from '../../../runtime/log.ts'
import type { Paths } from '../../../runtime/paths.ts'
import type { TextGate } from '../../../sanitize/text-gate.ts'
import type { Git } from '../../git/git.ts'
import type { Store } from '../../store/store.ts'
import type { Forge } from '../forge.ts'

/** How heads are checked. From the trusted configuration, never from a pull request. */
export interface CheckSettings {
  /** Undefined: nothing is checked. */
  readonly argv: readonly string[] | undefined
  /** Milliseconds. */
  readonly timeoutMs: number
  /** Runs at the same time. */
  readonly parallel: number
  /**
   * Bytes of all logs that are kept, oldest gone first; also the most that one run may write.
   * Default 200 MB.
   */
  readonly maxLogBytes?: number
  /** What checks results of merges; default `argv`. */
  readonly results?: { readonly argv?: readonly string[]; readonly parallel?: number }
}

export interface LocalForgeOptions {
  /** What is written into history goes through it. */
  readonly gate: Pick<TextGate, 'text'>
  /** What its identity() returns: the path of the repository. */
  readonly repository: string
  readonly git: Git
  readonly store: Store
  /** Git remote that holds the branches (see ensureLocalRemote). */
  readonly remote: string
  /** Environment of checks, to which CI and a HOME of their own are added. */
  readonly ciEnvironment: Readonly<Record<string, string>>
  /** What a check is run with, on the checkout `worktree` in a folder of its own. */
  readonly confine?: (program: {
    folder: string
    worktree: string
    argv: readonly string[]
    env: Readonly<Record<string, string>>
  }) => Promise<{ argv: readonly string[]; env: Readonly<Record<string, string>> }>
  /**
   * What a check of a pull request, or (null) of several, is started behind, so that it is held to
   * limits; `ended` lets go of it and returns which limit it met.
   */
  readonly hold?: (
    pull: number | null,
  ) => Promise<{ readonly argv: readonly string[]; ended(): Promise<string | null> }>
  /** Read anew for each decision, so that a changed configuration counts at once. */
  readonly ci: () => CheckSettings | Promise<CheckSettings>
  readonly paths: Pick<Paths, 'ciLogs' | 'ciWork'>
  readonly clock: () => number
  readonly log: Log
  /**
   * Throws UNTRUSTED_CONFIG where configured commands must not run; the check then stays pending
   * and says so.
   */
  readonly trusted: () => Promise<void>
}

export interface LocalForge extends Forge {
  /**
   * Settles what a crash cut off: marks runs interrupted, ends their processes, takes their
   * worktrees away, and runs them again.
   */
  resumeChecks(): Promise<void>
}
