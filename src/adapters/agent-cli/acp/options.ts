import type { DetachedHolder } from '../../terminals/headless.ts'
import type { AgentCliOptions } from '../options.ts'
import type { AcpConfig } from '../../../config/schema.ts'

export interface AcpCliOptions extends Omit<AgentCliOptions, 'config'> {
  readonly config: AcpConfig
  /** Variables of the person’s that the agent CLI needs for which this program speaks. */
  readonly passes: readonly string[]
  readonly sessions: AcpSessions
}

/** What holds the sessions; addressed by the agent’s pane. */
export type AcpSessions = Pick<
  DetachedHolder,
  'session' | 'prompt' | 'mentions' | 'inspect' | 'capture'
>
