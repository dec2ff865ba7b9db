import type { Caller } from '../../../domain/caller.ts'
import type { LandingView } from '../view.ts'
import type { FoldState, LinkState } from './fold-record.ts'

/** The fold as people and models read it. */
export interface FoldDocument {
  enabled: boolean
  /** Why nothing is folded; null where it is. */
  reason: string | null
  paused: { by: string; since_seconds: number } | null
  land: 'parent' | 'auto' | 'forge'
  /** What lands, and when, is the forge’s to say; what is found here counts for nobody there. */
  forge_lands: boolean
  bases: FoldBase[]
}

export interface FoldBase {
  base: string
  state: FoldState
  age_seconds: number
  /** What lands is the commit that was checked here; else the forge merges by its own rules. */
  lands_here: boolean
  /** Tip of the base that the chain stands on. */
  onto: string | null
  links: {
    number: number
    title: string
    agent: string | null
    head_sha: string
    /** The commit that would land; null where it conflicts with one before it. */
    sha: string | null
    state: LinkState
    /** It was asked to be merged. */
    landing: LandingView['step'] | null
    age_seconds: number
  }[]
  testing: { numbers: number[]; since_seconds: number; typical_seconds: number | null }[]
  ejected: {
    number: number
    title: string
    partner: { number: number; title: string } | null
    /** Where it takes more than two, the others. */
    others: { number: number; title: string }[]
    age_seconds: number
  }[]
}

export interface FoldLog {
  number: number
  state: string
  /** File that has it. */
  path: string
  log: string
}

export interface Fold {
  show(): Promise<FoldDocument>
  /** What the last run of a link wrote, or, of one that was taken out, the red run. INVALID_ARG. */
  log(number: number): Promise<FoldLog>
  /** Kept over restarts. What was asked to be merged lands in any case. */
  pause(caller: Caller): Promise<FoldDocument>
  resume(): Promise<FoldDocument>
}
