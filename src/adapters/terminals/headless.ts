import type { AgentId, PaneId } from '../../domain/ids.ts'
import type { Usage } from '../../domain/records.ts'
import type { Holder } from './holder.ts'

/** `running`: a turn is under way. `waiting`: for a person’s permission. */
export interface HostedSession {
  readonly agentId: AgentId
  readonly sessionId: string | null
  readonly state: 'starting' | 'idle' | 'running' | 'waiting'
  /**
   * What it waits for, or why the last turn ended in the protocol’s words (`end_turn`, `cancelled`,
   * `max_turn_requests`, `refusal` …).
   */
  readonly reason: string | null
  /** Rounds of the model so far. */
  readonly turns: number
  readonly toolCalls: number
  /** Text of the model’s last message, at most 100,000 characters, its end. */
  readonly lastText: string
  /** Null where the agent doesn’t report it. */
  readonly usage: Usage | null
  readonly models: readonly string[]
  readonly modes: readonly string[]
  /** It can take up an old session. */
  readonly canLoad: boolean
}

/** `full`: so much waits for a program that does not read that no more is taken. */
export type Written =
  | { readonly kind: 'written'; readonly bytes: number }
  | { readonly kind: 'full' }
  | { readonly kind: 'closed' }
  | { readonly kind: 'gone' }

/**
 * The detached host, as its client: holds terminals and whatever runs without one, piped processes
 * and sessions of the Agent Client Protocol, in a process that outlives the daemon. Of those
 * without a terminal: `paste` and `pressEnter` write to a process’s standard input and prompt a
 * session, `pressEscape` cancels its turn, `capture` gives the last lines of output (at most 1000
 * are kept; the whole stands in the pane’s `output` file). What has ended stays until `close`.
 */
export interface DetachedHolder extends Holder {
  /** Connects to the host where one runs, so that deaths are reported; starts none. */
  adopt(): Promise<void>
  /** Writes to a process’s standard input, one call after the other. */
  writeStdin(paneId: PaneId, data: string): Promise<Written>
  /** Undefined for what is no session or not there. */
  session(paneId: PaneId): Promise<HostedSession | undefined>
  /** A turn with this text. Refused while one is under way. */
  prompt(paneId: PaneId, text: string): Promise<ChannelResult>
  /**
   * Which of these stand in its prompts and in results of its tools; null where it is not there any
   * more.
   */
  mentions(paneId: PaneId, words: readonly string[]): Promise<readonly string[] | null>
}

/**
 * `accepted`: the program has it and will show it to its model once. `refused`: it certainly has
 * not. A throw: it can’t be determined.
 */
export type ChannelResult =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused'; readonly reason: string }
