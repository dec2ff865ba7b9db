import type { AgentCli } from '../../adapters/agent-cli/agent-cli.ts'
import type { HookFact, HookOutcome } from '../../adapters/agent-cli/hook-dialect.ts'
import type { Agent } from '../../domain/records.ts'
import type { EventPayload } from '../../events/event.ts'
import type { Hooks } from './agent-hooks.ts'
import type { Caller } from '../../domain/caller.ts'
import type { Configured, Deps } from '../deps.ts'
import type { FirstTurn } from './first-turn.ts'
import { heldInARow } from './held-in-a-row.ts'
import { deliveryIdsIn } from './hooks.ts'
import { recordOwnWaits } from './own-waits.ts'
import type { Permissions } from './permissions.ts'
import { startedKey, type States } from '../agents/states.ts'
import { countTool } from '../usage/tool-count.ts'
import type { UsageReading } from '../usage/usage.ts'

/**
 * Some programs let nobody be held longer, whatever the reason; what is said then would be lost.
 */
const MAX_IN_A_ROW = 6
const NONE: HookOutcome = { kind: 'none' }

/**
 * Reasons are for its model too. What is context came through the outbox, which knows what was to
 * stay as it was written.
 */
function inertOutcome(cli: AgentCli, outcome: HookOutcome): HookOutcome {
  if (outcome.kind === 'block') return { ...outcome, reason: cli.inert(outcome.reason) }
  return outcome.kind === 'permission' && outcome.reason !== undefined
    ? { ...outcome, reason: cli.inert(outcome.reason) }
    : outcome
}

/**
 * What agent CLIs say through their own hooks: read by the adapter’s dialect, acted on here,
 * answered in the dialect.
 */
export function createProgramHooks(
  deps: Pick<Deps, 'store' | 'outbox' | 'settings' | 'publisher' | 'clock'> & {
    states: States
    hooks: Omit<Hooks, 'fromProgram' | 'toolsListed'>
    permissions: Permissions
    usage: Pick<UsageReading, 'refresh'>
    firstTurn: FirstTurn
  },
): Hooks['fromProgram'] {
  const {
    store,
    outbox,
    settings,
    publisher,
    states,
    hooks,
    permissions,
    usage,
    clock,
    firstTurn,
  } = deps
  /** Also when it changes under way, as by /clear or a resumption. */
  const recordSession = async (
    agent: Agent,
    fact: HookFact,
    at: number | undefined,
  ): Promise<void> => {
    if (!('sessionId' in fact) || fact.sessionId === undefined) return
    // Reported late: what is known since may be another one.
    if (at !== undefined && agent.sessionId !== null && agent.stateAt > at) return
    const transcript =
      fact.transcript ?? (fact.sessionId === agent.sessionId ? agent.transcript : null)
    if (fact.sessionId !== agent.sessionId || transcript !== agent.transcript)
      await store.agents.update(agent.id, { sessionId: fact.sessionId, transcript })
  }

  /**
   * It works: what waited for a person was answered. A call of its own that waits goes on waiting.
   */
  const works = async (agent: Agent, at: number | undefined): Promise<void> => {
    if (
      agent.state === 'running' ||
      (agent.state === 'waiting' && (agent.stateSource === 'tool' || permissions.pending(agent.id)))
    )
      return
    await states.change(agent.id, {
      to: 'running',
      source: 'hook',
      actor: agent.id,
      ...(at === undefined ? {} : { at }),
      onlyIf: (now) =>
        !(now.state === 'waiting' && now.stateSource === 'tool') &&
        (at === undefined || now.stateAt <= at),
    })
  }

  const ended = async (
    agent: Agent,
    reason: string | null,
    at: number | undefined,
  ): Promise<void> => {
    await states.change(agent.id, {
      to: 'idle',
      reason,
      source: 'hook',
      actor: agent.id,
      ...(at === undefined ? {} : { at, onlyIf: (now: Agent) => now.stateAt <= at }),
    })
    outbox.wake(agent.id)
  }

  const stop = async (
    configured: Configured,
    caller: Caller,
    again: boolean,
    signal: AbortSignal | undefined,
  ): Promise<HookOutcome> => {
    const { agent } = caller
    const times = again ? await heldInARow(store, agent.id) : 0
    if (times >= MAX_IN_A_ROW) {
      if (agent.stopBlocker !== null) {
        await store.agents.update(agent.id, { stopBlocker: null, stopBlocks: 0 })
        await publisher.publish({
          type: 'stop.released',
          agentId: agent.id,
          actor: 'daemon',
          payload: { name: agent.name, objection: agent.stopBlocker, times },
        })
      }
      await ended(agent, null, undefined)
      return NONE
    }
    const answer = await hooks.stop(caller, { configured, signal })
    return answer.decision === 'allow' ? NONE : { kind: 'block', reason: answer.reason }
  }

  /** What has a terminal is looked at there. */
  const shown = async (
    agent: Agent,
    call: Omit<EventPayload<'agent.tool'>, 'name'>,
  ): Promise<void> => {
    if (agent.runtime !== 'acp') return
    await publisher.publish({
      type: 'agent.tool',
      agentId: agent.id,
      actor: agent.id,
      payload: { name: agent.name, ...call },
    })
  }

  const act = async (
    configured: Configured,
    caller: Caller,
    cli: AgentCli,
    event: string,
    fact: HookFact,
    report: { at?: number; signal?: AbortSignal },
  ): Promise<HookOutcome> => {
    const { agent } = caller
    const { at, signal } = report
    switch (fact.kind) {
      case 'session-start':
        // One may also begin while the program runs and nobody submitted anything, as after /clear.
        if (cli.promptsBeforeToolsReady === true && at === undefined) firstTurn.started(agent)
        // What the program before it had begun has ended with it.
        if (at === undefined) await recordOwnWaits(store, agent.id, { waits: [], since: clock() })
        if (agent.state === 'spawning') await hooks.sessionStart(caller, {}, at)
        else await states.seen(agent.id)
        await publisher.publish({
          type: 'agent.started',
          agentId: agent.id,
          actor: agent.id,
          payload: { name: agent.name, resumed: false },
          dedupeKey: startedKey(agent.id, agent.pid),
        })
        return NONE
      case 'prompt': {
        permissions.settled(agent.id)
        // Some programs report the reason that held them as a prompt: that begins no new turn.
        await hooks.promptSubmit(caller, { goesOn: (await heldInARow(store, agent.id)) > 0 }, at)
        if (at === undefined) await firstTurn.ready(agent, signal)
        const ids = deliveryIdsIn(fact.prompt)
        const whole =
          ids.length === 0
            ? null
            : await outbox.promptArrived(agent.id, ids, { unanswered: at !== undefined })
        // The turn that begins takes along what else waits, where one answer has room for it.
        const more =
          whole === null &&
          at === undefined &&
          signal?.aborted !== true &&
          cli.hooks?.carries(event) === true
            ? await outbox.takeForHook(agent.id)
            : null
        const text = whole ?? more
        return text === null ? NONE : { kind: 'context', text }
      }
      case 'tool-start': {
        const now = await countTool({ store, clock }, agent.id)
        await shown(agent, { tool: fact.tool, detail: fact.detail ?? '', phase: 'started' })
        if (now !== undefined && !restsWhile(now, fact)) await works(now, at)
        return NONE
      }
      case 'tool-end': {
        permissions.settled(agent.id, fact)
        await states.seen(agent.id)
        usage.refresh(agent.id)
        await shown(agent, {
          tool: fact.tool,
          detail: fact.detail ?? '',
          phase: 'ended',
          ...(fact.status === undefined ? {} : { status: fact.status }),
        })
        if (!restsWhile(agent, fact)) await works(agent, at)
        if (
          at !== undefined ||
          signal?.aborted === true ||
          fact.nested === true ||
          !cli.hooks?.carries(event)
        )
          return NONE
        const text = await outbox.takeForHook(agent.id)
        return text === null ? NONE : { kind: 'context', text }
      }
      case 'permission':
        return permissions.asked(configured.config, caller, cli, event, fact, report)
      case 'waiting':
        await hooks.waiting(caller, fact.reason, at)
        return NONE
      case 'stop':
        permissions.settled(agent.id)
        if (fact.waits !== undefined)
          await recordOwnWaits(store, agent.id, {
            waits: fact.waits,
            since: at ?? clock(),
            scheduled: fact.scheduled === true,
          })
        if (at === undefined) return stop(configured, caller, fact.again, signal)
        await hooks.turnEnded(caller, at)
        return NONE
      case 'interrupted':
        permissions.settled(agent.id)
        await ended(agent, 'interrupted', at)
        return NONE
      case 'session-end':
        permissions.settled(agent.id)
        await hooks.sessionEnd(caller, fact.reason)
        return NONE
    }
  }

  /** A subagent that works on after the turn has ended makes no turn. */
  const restsWhile = (agent: Agent, fact: { readonly nested?: boolean }): boolean =>
    agent.state === 'idle' && fact.nested === true

  return async (caller, event, body, { at, signal } = {}) => {
    const { agent } = caller
    if (agent.agentCli === null) return null
    const configured = await settings.snapshot()
    const cli = configured.agentCli(agent.agentCli)
    const fact = cli.hooks?.read(event, body) ?? null
    if (cli.hooks === null || fact === null) return null
    await recordSession(agent, fact, at)
    const report = {
      ...(at === undefined ? {} : { at }),
      ...(signal === undefined ? {} : { signal }),
    }
    const outcome = await act(configured, caller, cli, event, fact, report)
    outbox.looked(agent.id)
    return at === undefined ? cli.hooks.answer(event, inertOutcome(cli, outcome)) : null
  }
}
