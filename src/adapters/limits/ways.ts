import type { LimitName } from '../../domain/formats/resource-limits.ts'
import type { GroupVersion } from './control-files.ts'

/** How a program becomes a scope of a slice. */
export interface Scope {
  /** XDG_RUNTIME_DIR of the manager. */
  readonly runtime: string
  /** `NAME=VALUE`; empty for none. */
  readonly property: string
}

/** How a limit can be held on this machine. */
export type Way =
  /** A control group below this folder: of all that an agent starts, together. */
  | { readonly kind: 'group'; readonly version: GroupVersion; readonly base: string }
  /** The same, made by the systemd user manager. */
  | { readonly kind: 'slice'; readonly scope: Scope }
  /** Of each process by itself: a part of what was asked for. */
  | { readonly kind: 'process' }

/** What was found when it was tried, the best way first. */
export interface Ways {
  readonly of: Readonly<Partial<Record<LimitName, Way>>>
  /** Why there is no better one. Beginnings of sentences. */
  readonly reasons: readonly string[]
}

/** One way that was tried: which limits it holds, and why not more. */
export interface Tried {
  readonly way: Partial<Record<LimitName, Way>>
  readonly reasons: readonly string[]
}

/** For each limit the first way that holds it. */
export function choose(tried: readonly Tried[]): Ways {
  const of: Partial<Record<LimitName, Way>> = {}
  for (const { way } of tried)
    for (const [limit, one] of Object.entries(way) as [LimitName, Way][]) of[limit] ??= one
  return { of, reasons: tried.flatMap(({ reasons }) => reasons) }
}
