import type { AgentConfig } from '../../config/schema.ts'
import type { Exec } from '../../processes/exec.ts'

/** What every adapter is made from. */
export interface AgentCliOptions {
  /** NAME of [agents.NAME]. */
  readonly name: string
  readonly config: AgentConfig
  /** PATH that programs are looked for on. */
  readonly path: string
  /** The daemon’s own Node. */
  readonly node: string
  /** The worktree that holds .exomonad: relative commands are resolved here. */
  readonly home: string
  /** The person’s home folder, and environment as far as agents may see it. */
  readonly userHome: string
  readonly variables: Readonly<Record<string, string>>
  readonly exec: Exec
}
