import type { AgentId, PaneId } from '../../../domain/ids.ts'
import type { OutputLog } from '../../../processes/host/output-log.ts'
import type { HostedPane } from './hosted-pane.ts'
import type { Hosted, Session } from './hosted.ts'
import type { HeldPane } from './protocol.ts'

/** A pane as the host holds it, with what runs in it. */
export interface Held {
  readonly paneId: PaneId
  readonly agentId: AgentId
  readonly openId: string
  /** What it runs: one of the three, and what only that can do. */
  readonly program:
    | { readonly kind: 'terminal'; readonly hosted: HostedPane }
    | { readonly kind: 'process'; readonly hosted: Hosted; readonly log: OutputLog }
    | {
        readonly kind: 'acp'
        readonly hosted: Hosted
        readonly log: OutputLog
        readonly session: Session
      }
  /** Called when it goes. */
  readonly followers: Set<() => void>
  name: string
  pasted: string | null
  entered: string | null
  endedAt: number | null
  ending: Promise<void> | undefined
}

/** As the daemon gets it. */
export const describeHeld = ({
  paneId,
  agentId,
  name,
  program,
  endedAt,
  pasted,
  entered,
}: Held): HeldPane => ({
  paneId,
  agentId,
  name,
  title: program.kind === 'terminal' ? program.hosted.title : null,
  pid: program.hosted.pid,
  dead: program.hosted.ended !== undefined,
  exitCode: program.hosted.ended?.exitCode ?? null,
  exitSignal: program.hosted.ended?.exitSignal ?? null,
  endedAt,
  humanActiveAt: program.kind === 'terminal' ? program.hosted.humanActiveAt : null,
  pasted,
  entered,
})
