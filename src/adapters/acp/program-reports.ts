import type { AcpLaunch } from '../terminals/headless-program.ts'
import type {
  AcpPermission,
  AcpPermissionAnswer,
  AcpSession,
  AcpTool,
  AcpToolStatus,
  AcpUpdate,
} from '../../../packages/subagents/src/acp/acp.ts'
import type { DaemonHooks } from './daemon-hooks.ts'
import type { Mentions } from './mentions.ts'
import { decide } from './permission-choice.ts'
import type { Rendering } from './rendering.ts'
import type { Rounds } from './rounds.ts'
import type { Turns } from './turns.ts'

/** What the program of a session reports of its work, and asks before a tool call. */
export interface ProgramReports {
  /** Where it resolves later, no more is taken before. */
  update(sessionId: string, update: AcpUpdate): void | Promise<void>
  permission(question: AcpPermission, signal: AbortSignal): Promise<AcpPermissionAnswer>
}

export function createProgramReports(deps: {
  readonly launch: Pick<AcpLaunch, 'permission' | 'allow'>
  readonly hooks: DaemonHooks
  readonly mentions: Pick<Mentions, 'add'>
  readonly rounds: Rounds
  readonly view: Rendering
  readonly turns: Turns
  /** Null until it has begun. */
  readonly session: () => AcpSession | null
  /** While what was written of it so far is more than its log takes; undefined where it is not. */
  readonly congested: () => Promise<void> | undefined
}): ProgramReports {
  const { launch, hooks, mentions, rounds, view, turns } = deps

  const takeCall = (tool: AcpTool, status: AcpToolStatus): void =>
    rounds.take({ kind: 'tool', first: false, tool: { ...tool, status } }).forEach(turns.report)

  return {
    update: (sessionId, update) => {
      const session = deps.session()
      if (session !== null && sessionId !== session.id) return
      if (update.kind === 'user') mentions.add(update.text)
      if (update.kind === 'tool' && update.tool.output !== null) mentions.add(update.tool.output)
      // A conversation that is taken up reports all of it again.
      if (session === null) return
      const before = rounds.rounds
      const reports = rounds.take(update)
      if (rounds.rounds > before) turns.roundBegan()
      view.update(update)
      reports.forEach(turns.report)
      return deps.congested()
    },
    permission: async ({ tool }, signal) => {
      // Some announce no call that they ask about, and say no more of one that was denied.
      takeCall(tool, tool.status === 'in_progress' ? 'in_progress' : 'pending')
      const call = rounds.call(tool)
      const decided = decide(launch, { ...tool, title: call.title, kind: call.kind })
      if (decided !== 'ask') {
        if (decided === 'deny') {
          view.answered(call, 'deny', 'by its permissions')
          takeCall(tool, 'failed')
        }
        return decided
      }
      view.asks(call)
      const answered = turns.asks(call.title)
      try {
        const answer = await hooks.permission(
          { tool: call.title, detail: call.detail ?? '' },
          signal,
        )
        view.answered(call, answer?.decision ?? 'cancelled', answer?.reason ?? null)
        if (answer?.decision === 'deny') takeCall(tool, 'failed')
        return answer?.decision ?? 'cancelled'
      } finally {
        answered()
      }
    },
  }
}
