import type { Deps } from '../deps.ts'
import type {
  AgentCli,
  LaunchRequest,
  LaunchPlan,
  SessionRef,
} from '../../adapters/agent-cli/agent-cli.ts'
import type { Agent, AgentPatch } from '../../domain/records.ts'
import type { PaneId } from '../../domain/ids.ts'

export interface Launched {
  readonly paneId: PaneId
  readonly pid: number
  readonly plan: LaunchPlan
  /** Where its conversation is, as far as that is known before its hooks report it. */
  readonly session: SessionRef | null
}

/** The pane is open: waits for the program to settle, and returns which conversation it came to. */
export const createSettled =
  ({ store, multiplexer }: Pick<Deps, 'store' | 'multiplexer'>) =>
  async (
    agent: Agent,
    cli: AgentCli,
    pane: Pick<Launched, 'paneId' | 'pid'>,
    asked: LaunchRequest,
    plan: LaunchPlan,
  ): Promise<Launched> => {
    const planned: SessionRef | null =
      plan.sessionId === null ? null : { id: plan.sessionId, transcript: null }
    if (cli.settle === undefined) return { ...pane, plan, session: planned }
    // Its hooks may speak before it has settled.
    await store.agents.update(agent.id, { pid: pane.pid })
    const live = {
      agentId: agent.id,
      paneId: pane.paneId,
      pid: pane.pid,
      worktree: agent.worktree,
      session: planned,
      folder: asked.folder,
      channel: plan.channel,
      title: null,
    }
    try {
      const found = await cli.settle(live, asked, plan)
      const session = found.forked
        ? 'forked'
        : plan.session === 'forked' || lostSession(plan, found.session)
          ? 'fresh'
          : plan.session
      return {
        ...pane,
        plan: {
          ...plan,
          session,
          sessionId: found.session?.id ?? plan.sessionId,
          warnings: [...plan.warnings, ...found.warnings],
        },
        session: found.session ?? planned,
      }
    } catch (thrown) {
      // Nobody knows of this pane yet.
      await multiplexer.close(pane.paneId)
      throw thrown
    }
  }

/** It was to go on with a conversation, and runs another one. */
const lostSession = (plan: LaunchPlan, settled: SessionRef | null): boolean =>
  plan.session === 'resumed' && settled !== null && settled.id !== plan.sessionId

/**
 * What the records of an agent say of the conversation it was started with; what its hooks reported
 * meanwhile stays.
 */
export const sessionPatch = ({ session }: Pick<Launched, 'session'>): AgentPatch =>
  session === null
    ? {}
    : {
        sessionId: session.id,
        ...(session.transcript === null ? {} : { transcript: session.transcript }),
      }
