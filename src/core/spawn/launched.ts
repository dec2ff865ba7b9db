import type { Deps } from '../deps.ts'
import type { AgentCli, LaunchRequest, LaunchPlan } from '../../adapters/agent-cli/agent-cli.ts'
import type { NotUp, SessionRef } from '../../adapters/agent-cli/settled.ts'
import type { Agent, AgentPatch } from '../../domain/records.ts'
import { ExomonadError } from '../../domain/errors.ts'
import type { PaneId } from '../../domain/ids.ts'
import { isAlive } from '../../domain/lifecycle.ts'

export interface Launched {
  readonly paneId: PaneId
  readonly pid: number
  readonly plan: LaunchPlan
  /** Where its conversation is, as far as that is known before its hooks report it. */
  readonly session: SessionRef | null
}

/** A pane that a program was just started in, as it was planned. */
export interface Opened {
  readonly pane: Pick<Launched, 'paneId' | 'pid'>
  readonly asked: LaunchRequest
  readonly plan: LaunchPlan
}

/** How often a program is started that does not come up by itself. */
const STARTS = 2
/** Of what it showed stand so many lines with the error. */
const SHOWN = 12

/**
 * Opens a pane, waits for the program to settle, and returns which conversation it came to. One that
 * does not come up is started once more, without its conversation where that is what is missing;
 * SPAWN_FAILED with what it showed where that is no use.
 */
export const createStarted = ({
  store,
  multiplexer,
  log,
}: Pick<Deps, 'store' | 'multiplexer' | 'log'>) => {
  const settled = async (
    agent: Agent,
    cli: AgentCli,
    { pane, asked, plan }: Opened,
  ): Promise<Launched | NotUp> => {
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
    const found = await cli.settle(live, asked, plan)
    if ('notUp' in found) return found
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
  }

  /** The end of what its pane shows. */
  const lastLines = async (paneId: PaneId): Promise<string> => {
    const text = await multiplexer.capture(paneId, { lines: 100 }).catch(() => '')
    const lines = text.split('\n').filter((line) => line.trim() !== '')
    return lines.slice(-SHOWN).join('\n')
  }

  const isWanted = async ({ id }: Agent): Promise<boolean> => {
    const now = await store.agents.get(id)
    return now !== undefined && isAlive(now.state)
  }

  return async (
    agent: Agent,
    cli: AgentCli,
    open: (known: Pick<LaunchRequest, 'session'>) => Promise<Opened>,
    { session }: Pick<LaunchRequest, 'session'>,
  ): Promise<Launched> => {
    let known = session
    for (let starts = 1; ;) {
      const opened = await open({ session: known })
      const { paneId } = opened.pane
      try {
        const launched = await settled(agent, cli, opened)
        if (!('notUp' in launched))
          return known === session ? launched : forgotten(launched, session)
        const shown = await lastLines(paneId)
        const next = launched.again(shown)
        if (
          !(await isWanted(agent)) ||
          !(next === 'fresh' ? known !== null : next === 'same' && starts < STARTS)
        ) {
          const often = starts === 1 ? '' : ', twice'
          const words = shown === '' ? 'It showed nothing.' : `It showed last:\n${shown}`
          throw new ExomonadError('SPAWN_FAILED', `${launched.notUp}${often}. ${words}`, {
            agent: agent.id,
          })
        }
        log.warn(
          { agent: agent.id, why: launched.notUp, shown, next },
          'a program did not come up; it is started again',
        )
        if (next === 'fresh') known = null
        else starts++
      } catch (thrown) {
        // Nobody knows of this pane yet.
        await multiplexer.close(paneId)
        throw thrown
      }
      await multiplexer.close(paneId)
    }
  }
}

/** It was started without the conversation that it was to go on with. */
const forgotten = (launched: Launched, session: SessionRef | null): Launched => ({
  ...launched,
  plan: {
    ...launched.plan,
    warnings: [
      ...launched.plan.warnings,
      `Its session ${session?.id ?? ''} is gone: it begins a new one.`,
    ],
  },
})

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
