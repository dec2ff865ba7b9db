import type { Caller } from '../../domain/caller.ts'

/** Two whose work will have to be merged. */
export interface RadarPair {
  /** An agent: its name, or its branch where others have that name. */
  a: string
  /** The same of a sibling, or the branch that `a` starts from and goes into. */
  b: string
  status: 'clean' | 'conflict' | 'unknown'
  /** Where they conflict. */
  files: string[]
}

/** What one of two did to a file in which they conflict. */
export interface RadarSide {
  change: 'added' | 'deleted' | 'renamed' | 'modified' | 'mode' | 'none'
  /** Of a renamed file its name now. */
  new_path: string | null
  binary: boolean
  /** Those that meet one of the other side; all of them where none does. */
  hunks: {
    /** First line, and lines, in the merge base. */
    base: number[]
    own: number[]
    /** `-` and `+` lines, at most 200. */
    text: string[]
  }[]
}

export interface RadarDetail {
  a: string
  b: string
  status: 'clean' | 'conflict' | 'unknown'
  /** Of what is unknown. */
  why: string | null
  files: {
    path: string
    /** Which of the two touched it first, as far as that was seen. */
    first: string | null
    a: RadarSide
    b: RadarSide
  }[]
  /** Uncommitted files over 50 MB, which are not looked at. */
  skipped: { a: string[]; b: string[] }
}

export interface RadarUse {
  /**
   * Looks at all worktrees, and returns the pairs that concern the caller: a person all, an agent
   * those of which one is itself or below it; with `a` only that one’s. NOT_AVAILABLE where the
   * radar is off.
   */
  pairs(caller: Caller, a?: string): Promise<{ pairs: RadarPair[]; at: number }>
  /** One pair, with what both sides did. AGENT_NOT_FOUND, NOT_A_CHILD, INVALID_ARG. */
  detail(caller: Caller, a: string, b: string): Promise<{ pair: RadarDetail; at: number }>
}
