import type { OnceContext } from '../once.ts'
import type { Since } from '../sessions/agent-sessions.ts'
import type { AgentId } from '../../domain/ids.ts'
import type { Caller } from '../../domain/caller.ts'

export interface ForkedAgent {
  agent_id: AgentId
  name: string
  /**
   * `forked`: with the caller’s conversation; `transcript`: with a file of what its terminal
   * showed; `fresh`: with the prompt alone.
   */
  context: 'forked' | 'transcript' | 'fresh'
  warnings: string[]
}

export interface Forking {
  /**
   * A child in the caller’s worktree. Without a name it is called after the prompt’s first words,
   * else fork-N. Without a prompt (only the human may) it idles until it gets a message.
   */
  fork(
    caller: Caller,
    input: { name?: string | undefined; prompt?: string | undefined; context: 'inherit' | 'fresh' },
    since?: Since,
  ): Promise<ForkedAgent>
  /**
   * With the caller’s open capture as the prompt, which ends with that; without one, an idle child.
   * For the human.
   */
  forkCapture(
    caller: Caller,
    input: { name?: string | undefined; context: 'inherit' | 'fresh' },
  ): Promise<ForkedAgent & { captured: boolean }>
}

export interface ScrollbackLine {
  seq: number
  kind: string
  text: string
  /** Milliseconds since the epoch. */
  at: number
  /** Lines of the terminal’s text that stood above it then. */
  line: number
}

/** What a person writes beside an agent’s terminal: never sent to the agent. */
export interface Captures {
  /**
   * Opens one where none is; `text` is kept as lines of it. INVALID_ARG with text where `begin` is
   * false and none is open; ALREADY_DEAD.
   */
  add(
    caller: Caller,
    input: { begin: boolean; text?: string | undefined; once?: OnceContext | undefined },
  ): Promise<{ agent_id: AgentId; lines: number }>
  /**
   * Ends the open one without a child; its lines stay to be seen. INVALID_ARG where none is open.
   */
  cancel(caller: Caller): Promise<{ agent_id: AgentId; lines: number }>
  /** Oldest first, and how many lines the open capture has; null where none is open. */
  scrollback(address: string): Promise<{
    agent_id: AgentId
    task: string
    entries: ScrollbackLine[]
    capture_lines: number | null
  }>
}
