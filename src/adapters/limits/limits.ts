import type { AgentId } from '../../domain/ids.ts'
import type { Bounds, LimitName } from '../../domain/formats/resource-limits.ts'
import type { Counted } from './control-files.ts'

export type { Counted } from './control-files.ts'

/** What was seen and reported of a count, so that it is reported once. Times: ms since the epoch. */
export interface Noted {
  readonly seen: number
  readonly seenAt: number
  readonly told: number
  readonly toldAt: number
}

/** How often limits of an agent were met. */
export interface Met {
  readonly bounds: Bounds
  /** Stands for the group, whose counts begin anew when it is made anew. */
  readonly made: string
  readonly counts: Readonly<Partial<Record<Counted, number>>>
  readonly noted: Readonly<Partial<Record<Counted, Noted>>>
}

/** What a program is started behind so that it is held. */
export interface Behind {
  readonly argv: readonly string[]
  /** What is not kept, or only in part. Sentences. */
  readonly notices: readonly string[]
}

/**
 * Holds agents, with all that they start, to limits, for longer than this process lives. Every
 * agent has what it is held by on record until `release`.
 */
export interface Limits {
  /** Which limits can be held, and by what, tried for real. */
  probe(): Promise<LimitsFound>
  /** LIMITS_UNAVAILABLE where one of them can’t be held at all, before anything is made. */
  hold(id: AgentId, bounds: Bounds): Promise<Behind>
  /** For what belongs to an agent that is held already; undefined where it is not. */
  join(id: AgentId): Promise<Behind | undefined>
  /** Who has anything on record. */
  list(): Promise<readonly AgentId[]>
  /** Undefined where nothing is counted. */
  met(id: AgentId): Promise<Met | undefined>
  note(id: AgentId, made: string, noted: Met['noted']): Promise<void>
  /**
   * Takes away what an agent was held by; false where processes of it are left, which are held on.
   * `kill`: ends these first.
   */
  release(id: AgentId, options: { readonly kill: boolean }): Promise<boolean>
  /** Called when a limit of somebody’s may have been met. Returns how to stop. */
  watch(id: AgentId, listener: () => void): Promise<() => void>
}

export interface LimitsFound {
  readonly of: Readonly<Partial<Record<LimitName, string>>>
  /** Limits that are only held in part, and how. */
  readonly partly: Readonly<Partial<Record<LimitName, string>>>
  readonly reasons: readonly string[]
}
