import type { Agent } from '../../domain/records.ts'
import type { AgentId } from '../../domain/ids.ts'
import { isInCall, REPORTED } from '../../domain/lifecycle.ts'
import type { States } from '../agents/states.ts'

/**
 * Agents whose own calls hold them up: `waiting`, with what the latest of these calls is as the
 * reason, until the last of them has ended.
 */
export interface BlockingCalls {
  /** Returns what to call when this one has ended. */
  begin(
    agent: Agent,
    reason: `question ${string}` | `subagent ${string}` | 'wait',
  ): Promise<() => Promise<void>>
  /** It has more to do: its call does not lead back to the rest that its report began. */
  given(id: AgentId): void
  /**
   * Of an agent that is recorded in a call which this process knows nothing of: a restart cut it
   * off.
   */
  settleCutOff(agent: Agent): Promise<void>
}

export function createBlockingCalls({ states }: { states: States }): BlockingCalls {
  /** The state before the first of them, and the calls. */
  const open = new Map<
    AgentId,
    { before: Pick<Agent, 'state' | 'stateReason'>; reasons: string[] }
  >()

  return {
    begin: async (agent, reason) => {
      const calls = open.get(agent.id) ?? { before: agent, reasons: [] as string[] }
      open.set(agent.id, calls)
      calls.reasons.push(reason)
      const drop = (): string | undefined => {
        calls.reasons.splice(calls.reasons.indexOf(reason), 1)
        return calls.reasons.at(-1)
      }
      /**
       * Only once the record says so: until then it would seem to be in a call that nobody knows
       * of.
       */
      const forget = (): void => {
        if (calls.reasons.length === 0 && open.get(agent.id) === calls) open.delete(agent.id)
      }
      // The caller's record may be older than this: what it goes back to is what it is in the
      // transaction.
      const remember = (now: Agent): true => {
        if (!isInCall(now)) calls.before = now
        return true
      }
      await states
        .change(agent.id, {
          to: 'waiting',
          reason,
          source: 'tool',
          actor: agent.id,
          onlyIf: remember,
        })
        .catch((thrown: unknown) => {
          drop()
          forget()
          throw thrown
        })
      return async () => {
        const next = drop()
        const to =
          next !== undefined ? 'waiting' : calls.before.state === 'idle' ? 'idle' : 'running'
        const rests = to === 'idle' && calls.before.stateReason === REPORTED ? REPORTED : null
        // Where its hooks reported something else meanwhile (its turn ended without the answer),
        // that stands.
        await states
          .change(agent.id, {
            to,
            reason: next ?? rests,
            source: 'tool',
            actor: agent.id,
            onlyIf: isInCall,
          })
          .finally(forget)
      }
    },

    given: (id) => {
      const calls = open.get(id)
      if (calls?.before.stateReason === REPORTED)
        calls.before = { state: 'running', stateReason: null }
    },

    settleCutOff: async (agent) => {
      if (!isInCall(agent) || open.has(agent.id)) return
      const to = agent.paneId === null ? 'idle' : 'running'
      // As of then: what its hooks could not report since may be newer.
      await states.change(agent.id, {
        to,
        source: 'daemon',
        actor: 'daemon',
        reason: 'its call was cut off by a restart',
        at: agent.stateAt,
        onlyIf: isInCall,
      })
    },
  }
}
