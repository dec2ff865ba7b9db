import type { Store } from '../../adapters/store/store.ts'
import type { AgentId } from '../../domain/ids.ts'
import { isAlive } from '../../domain/lifecycle.ts'
import type { AgentState } from '../../domain/records.ts'

/** An agent that is held changes its state a few times before it stops again. */
const LOOKED_AT = 200

const isOver = (state: AgentState): boolean => state === 'idle' || !isAlive(state)

/**
 * How often in a row an agent was held at its stop, whatever the reasons: since its turn ended last.
 * Of what is logged, so that a restart in between does not begin to count anew.
 */
export async function heldInARow(store: Pick<Store, 'events'>, agentId: AgentId): Promise<number> {
  const events = await store.events.list({
    types: ['stop.blocked', 'agent.state'],
    agentId,
    last: LOOKED_AT,
  })
  const since = events.findLastIndex(
    ({ type, payload }) => type === 'agent.state' && isOver(payload['to'] as AgentState),
  )
  return events.slice(since + 1).filter(({ type }) => type === 'stop.blocked').length
}
