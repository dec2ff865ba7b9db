import type { DetachedHolder } from '../../terminals/headless.ts'
import type { AcpLaunch } from '../../terminals/headless-program.ts'
import type { AgentCli, CliFinding, LaunchRequest } from '../agent-cli.ts'
import type { AgentCliOptions } from '../options.ts'

/** What the adapter reads of [acp.NAME]. */
export interface AcpCliConfig {
  readonly command: readonly string[]
  readonly model?: string | undefined
  readonly mode?: string | undefined
  readonly permission: AcpLaunch['permission']
  readonly allow: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

export interface AcpProgramOptions extends Omit<AgentCliOptions, 'config'> {
  readonly config: AcpCliConfig
}

/** A program that speaks the protocol for an agent CLI, started where nobody sees it. */
export interface AcpProgram {
  readonly inert: AgentCli['inert']
  /** The mode in which it asks its client at all; null: it does by itself. */
  readonly askingMode: string | null
  /** What keeps it from asking, updating itself or giving up on a long tool. */
  environment(
    options: AcpProgramOptions,
    request: LaunchRequest,
    permission: AcpLaunch['permission'],
  ): Promise<AcpEnvironment>
  /** How it signs in, or how to get there. */
  login(options: AcpProgramOptions): Promise<readonly CliFinding[]>
}

export interface AcpEnvironment {
  /** What [acp.NAME] env says goes before it. */
  readonly env: Readonly<Record<string, string>>
  /** Goes before what [acp.NAME] env says, and contains it. */
  readonly merged?: Readonly<Record<string, string>>
  /** exomonad’s tools are named there, and not to the session. */
  readonly namesTools?: boolean
}

export interface AcpCliOptions extends AcpProgramOptions {
  /** What is known of the agent CLI that it speaks for; null: of none that exomonad knows. */
  readonly program: AcpProgram | null
  /** Variables of the person’s that the agent CLI needs for which this program speaks. */
  readonly passes: readonly string[]
  readonly sessions: AcpSessions
}

/** What holds the sessions; addressed by the agent’s pane. */
export type AcpSessions = Pick<
  DetachedHolder,
  'session' | 'prompt' | 'mentions' | 'inspect' | 'capture'
>
