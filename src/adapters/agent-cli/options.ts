import type { Exec } from '../../processes/exec.ts'

/**
 * What adapters read of [agents.NAME]; configuration knows its agent CLIs from their definitions,
 * so that nothing of those may import configuration.
 */
export interface AgentCliConfig {
  readonly adapter: string
  readonly command: readonly string[]
  readonly resume_command?: readonly string[] | undefined
  readonly model?: string | undefined
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly acks: boolean
  readonly reports_state: boolean
  readonly enter_delay_ms: number
}

/** What every adapter is made from. */
export interface AgentCliOptions {
  /** NAME of [agents.NAME]. */
  readonly name: string
  readonly config: AgentCliConfig
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
