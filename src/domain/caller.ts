import type { Agent } from './records.ts'

/**
 * Who asks. The human acts for the root. With `--as` the agent that it names is who acts, with its
 * rights (src/surfaces/tool-access.ts).
 */
export interface Caller {
  readonly kind: 'agent' | 'human'
  readonly agent: Agent
  /** The owner named the agent. */
  readonly isNamed?: true
  /**
   * Somebody else than its own program acts as the agent, with the owner’s token: what that program
   * is doing stays as it is. Where it is a person, nobody need be asked whether it may spawn.
   */
  readonly actedBy?: 'person' | 'program'
  /** A page that was opened to be looked at: nothing is changed by it. */
  readonly readOnly?: true
}
