import type { Agent } from './records.ts'

/**
 * Who asks. The human acts for the root. With `--as` for another agent that agent is who acts, with
 * its rights (src/surfaces/tool-access.ts).
 */
export interface Caller {
  readonly kind: 'agent' | 'human'
  readonly agent: Agent
  /**
   * A person acts for it: what its own program is doing stays as it is, and nobody need be asked
   * whether it may spawn that.
   */
  readonly byPerson?: true
}
