import type { AgentId, BranchName } from '../../ids.ts'

export interface LaunchRequest {
  /** `fork`: with the conversation of `session`; `resume`: its own conversation again. */
  readonly mode: 'start' | 'fork' | 'resume'
  readonly agentId: AgentId
  readonly name: string
  readonly role: string
  readonly branch: BranchName
  readonly worktree: string
  /** The whole first prompt, also in `promptFile`. */
  readonly prompt: string
  readonly promptFile: string
  /** The parent’s (fork) or its own (resume) session, where known. */
  readonly session: { readonly id: string; readonly transcript: string | null } | null
}

export interface LaunchPlan {
  readonly argv: readonly string[]
  /** On top of the allow-list and the EXOMONAD_* variables. */
  readonly env: Readonly<Record<string, string>>
  readonly session: 'forked' | 'fresh' | 'resumed'
  /** Id the session will have, where it can be chosen. */
  readonly sessionId: string | null
  readonly warnings: readonly string[]
}

/** One agent program. Implementations pass test/conformance/agent-cli.test.ts. */
export interface AgentCli {
  readonly name: string
  readonly adapter: string
  /** Messages are confirmed; without, a typed message stays `sent`. */
  readonly acks: boolean
  /** It says when its turns start and end; messages wait for idle. Without, it is typed to at any time. */
  readonly reportsState: boolean
  /** Between paste and Enter, milliseconds. */
  readonly enterDelay: number
  /** Throws AGENT_CLI_MISSING with what to do. */
  plan(request: LaunchRequest): Promise<LaunchPlan>
  /** Finds the program: its absolute path, or what to do. */
  locate(): Promise<{ kind: 'found'; path: string } | { kind: 'missing'; reason: string }>
}
