import type { Agent, StateSource } from '../../domain/records.ts'
import type { States } from './states.ts'

/**
 * Its program waits for a person in its terminal: the human is notified, once per wait, and its
 * parent where nobody knows for what. Undefined where it waited already, or has ended.
 */
export const waitsForPerson = (
  states: States,
  agent: Agent,
  reason: string,
  source: StateSource,
  /**
   * When it was seen (ms since the epoch), where that was not now: what is known from later stands.
   */
  { at, screen = '' }: { readonly at?: number; readonly screen?: string } = {},
): Promise<Agent | undefined> =>
  states.change(agent.id, {
    to: 'waiting',
    reason,
    source,
    actor: agent.id,
    ...(at === undefined ? {} : { at }),
    // A call of its own that waits, of source tool, is no wait for a person.
    onlyIf: (now) =>
      !(now.state === 'waiting' && now.stateSource !== 'tool') &&
      (at === undefined || now.stateAt <= at),
    events: () => [
      {
        type: 'agent.waiting',
        agentId: agent.id,
        actor: agent.id,
        payload: { name: agent.name, reason, source, screen },
      },
    ],
  })
