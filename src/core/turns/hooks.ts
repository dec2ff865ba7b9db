import type { Agent } from '../../domain/records.ts'
import type { Hooks, StopAnswer, StopCall } from './agent-hooks.ts'
import type { Caller } from '../../domain/caller.ts'
import type { Deps } from '../deps.ts'
import { ENDED_UNHEARD, isInCall, isLasting } from '../../domain/lifecycle.ts'
import { startedKey, type StateChange, type States } from '../agents/states.ts'
import { countTool } from '../usage/tool-count.ts'
import { waitsForPerson } from '../agents/waits-for-person.ts'
import type { UsageReading } from '../usage/usage.ts'

/** Ids of deliveries that stand in a text. */
export const deliveryIdsIn = (text: string): string[] => text.match(/\bm-[0-9a-f]{12}\b/g) ?? []

/** A look at its program found it at rest, since it last said anything. */
const wasSeenIdle = ({ state, stateSource }: Agent): boolean =>
  state === 'idle' && (stateSource === 'session' || stateSource === 'screen')

/** What agent programs report about themselves, and what they are answered. */
export function createHooks({
  store,
  outbox,
  publisher,
  states,
  stopChain,
  clock,
  usage,
}: Pick<Deps, 'store' | 'outbox' | 'publisher' | 'clock'> & {
  states: States
  usage: Pick<UsageReading, 'refresh'>
  stopChain: (caller: Caller, call?: StopCall) => Promise<StopAnswer>
}): Omit<Hooks, 'fromProgram' | 'toolsListed'> {
  /** Of what was said earlier: only where nothing is known from later. */
  const timed = (at: number | undefined): Pick<StateChange, 'at' | 'onlyIf'> =>
    at === undefined ? {} : { at, onlyIf: (agent: Agent) => agent.stateAt <= at }
  const runs = (caller: Caller, at: number | undefined) =>
    states.change(caller.agent.id, {
      to: 'running',
      source: 'hook',
      actor: caller.agent.id,
      ...timed(at),
    })
  /**
   * What happens beside a call of its own that waits, such as a message that is put into its turn,
   * does not end that call.
   */
  const runsUnlessInCall = async (caller: Caller, at: number | undefined): Promise<void> => {
    const { onlyIf = () => true, ...change } = timed(at)
    const isFree = (agent: Agent): boolean => !isInCall(agent) && onlyIf(agent)
    await states.change(caller.agent.id, {
      to: 'running',
      source: 'hook',
      actor: caller.agent.id,
      ...change,
      onlyIf: isFree,
    })
  }

  return {
    sessionStart: async (caller, facts, at) => {
      await store.agents.update(caller.agent.id, {
        ...(facts.session_id === undefined ? {} : { sessionId: facts.session_id }),
        ...(facts.transcript === undefined ? {} : { transcript: facts.transcript }),
      })
      await runs(caller, at)
      // Once for each start of the program, whoever reports it first.
      await publisher.publish({
        type: 'agent.started',
        agentId: caller.agent.id,
        actor: caller.agent.id,
        payload: { name: caller.agent.name, resumed: false },
        dedupeKey: startedKey(caller.agent.id, caller.agent.pid),
      })
    },
    promptSubmit: async (caller, facts, at) => {
      const ids = deliveryIdsIn(facts.prompt ?? '')
      if (ids.length > 0) await outbox.ack(caller.agent.id, ids)
      if (facts.goesOn !== true) await store.agents.update(caller.agent.id, { stopReason: null })
      await runsUnlessInCall(caller, at)
    },
    toolUse: async (caller, _facts, at) => {
      await countTool({ store, clock }, caller.agent.id)
      usage.refresh(caller.agent.id)
      if (caller.agent.state !== 'running') await runsUnlessInCall(caller, at)
    },
    stop: async (caller, call) => {
      await states.seen(caller.agent.id)
      const answer = await stopChain(caller, call)
      usage.refresh(caller.agent.id)
      if (answer.decision === 'allow') {
        await states.change(caller.agent.id, {
          to: 'idle',
          source: 'hook',
          actor: caller.agent.id,
          // A session does not rest: it ends. That this turn has ended may have been seen, and
          // reported, before its hook came.
          events: (agent, before) =>
            isLasting(agent) && !wasSeenIdle(before)
              ? [
                  {
                    type: 'agent.idle',
                    agentId: agent.id,
                    actor: agent.id,
                    payload: { name: agent.name },
                  },
                ]
              : [],
        })
        // Something may have come between the check and now.
        outbox.wake(caller.agent.id)
      } else if (caller.agent.state !== 'running') await runs(caller, undefined)
      return answer
    },
    turnEnded: async (caller, at) => {
      await states.change(caller.agent.id, {
        to: 'idle',
        reason: ENDED_UNHEARD,
        source: 'hook',
        actor: caller.agent.id,
        at,
        onlyIf: (agent) => agent.state === 'running' && agent.stateAt <= at,
      })
    },
    waiting: async (caller, reason, at) => {
      await waitsForPerson(states, caller.agent, reason, 'hook', timed(at))
    },
    sessionEnd: async (caller) => {
      await store.agents.update(caller.agent.id, { stopBlocker: null, stopBlocks: 0 })
    },
  }
}
