import type { Agent } from '../../domain/records.ts'
import type { AgentId } from '../../domain/ids.ts'
import type { Caller } from '../../domain/caller.ts'
import type { ReportProgress } from './subagent-progress.ts'

/** What `agent_status` shows. `status` is derived from the state. Times are ISO 8601. */
export interface AgentStatus {
  agent_id: AgentId
  name: string
  kind: string
  /** Null for children of the root: they are the person’s own. */
  parent_id: AgentId | null
  depth: number
  status: 'running' | 'completed' | 'failed' | 'killed'
  spawned_at: string
  completed_at: string | null
  tool_calls: number
  tokens: number
  /** What it waits for while it does not work, the oldest first. Since: ISO 8601. */
  waits: { what: string; since: string }[]
}

export interface AgentResult {
  agent_id: AgentId
  status: 'completed' | 'failed' | 'killed'
  summary: string
  output: string
  /** Paths relative to the worktree, sorted. */
  files_modified: string[]
  elapsed_secs: number
}

/**
 * When the same was asked for and cut off, milliseconds since the epoch: what was made then is the
 * answer.
 */
export type Since = number | null | undefined

/** Sessions and processes without a terminal, and what is asked of any agent by the same tools. */
export interface Sessions {
  spawnSession(
    caller: Caller,
    options: {
      goal: string
      model?: string | undefined
      context?: Readonly<Record<string, string>> | undefined
      timeoutSecs?: number | undefined
      tools?: readonly string[] | undefined
      since?: Since
    },
  ): Promise<{ agent_id: AgentId; status: 'spawned' }>
  spawnTask(
    caller: Caller,
    command: string,
    since?: Since,
  ): Promise<{ agent_id: AgentId; status: 'spawned' }>
  status(
    caller: Caller,
    address: string | undefined,
  ): Promise<AgentStatus | { agents: AgentStatus[] }>
  /** RESULT_NOT_READY while it runs; never consumed. */
  result(caller: Caller, address: string): Promise<AgentResult>
  /** ALREADY_DEAD for what has ended; all below it ends too. */
  kill(caller: Caller, address: string): Promise<{ killed: true }>
  /** STDIN_CLOSED where it takes no more; a newline is appended and counted. */
  writeStdin(caller: Caller, address: string, data: string): Promise<{ written_bytes: number }>
}

export interface SubagentAnswer {
  text: string
  turns: number
  durationMs: number
}

/** Who waits for a subagent: gone where the signal is aborted, which ends the subagent. */
export interface SubagentCall {
  readonly signal: AbortSignal
  readonly progress: ReportProgress
}

/**
 * Nested sessions that their caller waits for. SUBAGENT_FAILED with `partial` where there is no
 * answer, LIMIT_REACHED by limits.max_subagent_depth.
 */
export interface Subagents {
  /** LIMIT_REACHED where the caller may have no subagents. */
  requireDepth(caller: Caller): Promise<void>
  spawn(
    caller: Caller,
    options: {
      task: string
      description: string
      maxTurns: number
      systemPrompt?: string | undefined
    },
    call: SubagentCall,
  ): Promise<SubagentAnswer>
  delegate(
    caller: Caller,
    options: {
      task: string
      description: string
      serverName?: string | undefined
      agentId?: string | undefined
    },
    call: SubagentCall,
  ): Promise<SubagentAnswer>
}

/** How sessions get into the tree and out of it, for everything that makes some. */
export interface SessionStart {
  /**
   * A session in the caller’s worktree: admitted under the limits, journaled, launched; nothing is
   * left where that fails. Its first turn is its last: when that ends it is completed, by its
   * timeout failed.
   */
  start(
    caller: Caller,
    options: {
      kind: 'llm' | 'spawn' | 'delegate'
      name: string
      task: string
      /** Null: the caller’s tools. */
      tools: readonly string[] | null
      noTools?: boolean
      /**
       * Name of an [acp.NAME]; null: as configured, else the one that belongs to the caller’s agent
       * CLI.
       */
      acp?: string | null
      model?: string | null
      mode?: string | null
      maxTurns?: number | null
      systemPrompt?: string | null
      facts?: Readonly<Record<string, string>>
      timeoutSecs?: number | null
    },
  ): Promise<Agent>
  /** Resolves when it has ended and its result is on record. Aborting kills nothing. */
  ended(
    id: AgentId,
    signal: AbortSignal,
  ): Promise<AgentResult & { turns: number; reason: string | null }>
}
