import type { Caller } from '../../domain/caller.ts'
import type { Configured } from '../deps.ts'

/** What an agent CLI’s hook says and is answered. `block`: go on, for this reason. */
export type StopAnswer =
  | { decision: 'allow'; note?: string }
  | { decision: 'block'; objection: string; reason: string }

/** How the stop check is asked. */
export interface StopCall {
  /** What the call began with; taken now where there is none. */
  readonly configured?: Configured
  /** Whoever asked has given up: nothing is taken for them any more. */
  readonly signal?: AbortSignal | undefined
}

/**
 * `at`: when it was said (ms since the epoch), where it could not be reported at once. What is
 * known from later is not undone by it.
 */
export interface Hooks {
  /** The agent’s program runs; records session and transcript. */
  sessionStart(
    caller: Caller,
    facts: { session_id?: string | undefined; transcript?: string | undefined },
    at?: number,
  ): Promise<void>
  /**
   * A turn began: state running; acks deliveries named in the text. `goesOn`: the turn was held at
   * its end, and this is why.
   */
  promptSubmit(
    caller: Caller,
    facts: { prompt?: string | undefined; goesOn?: boolean | undefined },
    at?: number,
  ): Promise<void>
  /** A tool was used: a sign of life, counted. */
  toolUse(caller: Caller, facts: { tool?: string | undefined }, at?: number): Promise<void>
  /**
   * The turn is about to end: the stop check. Allowed means idle.
   */
  stop(caller: Caller, call?: StopCall): Promise<StopAnswer>
  /**
   * Its turn ended at that time (ms since the epoch) while nobody could be asked: idle, unless
   * something happened since.
   */
  turnEnded(caller: Caller, at: number): Promise<void>
  /** It waits for a person (permission prompt). */
  waiting(caller: Caller, reason: string, at?: number): Promise<void>
  sessionEnd(caller: Caller, reason: string): Promise<void>
  /** Its MCP client has listed the tools. */
  toolsListed(caller: Caller): void
  /**
   * A hook in the words of the agent’s own CLI; returns the answer in them, null where there is
   * nothing to say. With `at`, reported late, nothing is asked or answered. `signal`: whoever asked
   * has given up.
   */
  fromProgram(
    caller: Caller,
    event: string,
    body: Readonly<Record<string, unknown>>,
    options?: { at?: number | undefined; signal?: AbortSignal | undefined },
  ): Promise<Readonly<Record<string, unknown>> | null>
}
