import type { StoreTransaction } from '../../adapters/store/store.ts'
import type { Agent, AgentPatch, AgentState, StateSource } from '../../domain/records.ts'
import type { NewEvent } from '../../events/event.ts'
import type { Actor, AgentId } from '../../domain/ids.ts'
import type { Deps } from '../deps.ts'
import { isAlive, mayBecome, STOPPED } from '../../domain/lifecycle.ts'

export interface StateChange {
  readonly to: AgentState
  readonly reason?: string | null
  readonly source: StateSource
  readonly actor: Actor
  /** When it happened (ms since the epoch), where that was not now. */
  readonly at?: number
  /**
   * Asked in the transaction: where it denies, nothing changes. For what was concluded from an
   * earlier look.
   */
  readonly onlyIf?: (agent: Agent) => boolean
  /** Further facts that change with it. */
  readonly patch?: AgentPatch
  /**
   * Published in the same transaction, after agent.state, if the change happened. `before`: as it
   * was.
   */
  readonly events?: (agent: Agent, before: Agent) => readonly NewEvent[]
}

/**
 * The one place where an agent’s state changes: checked, stored, published and signalled together.
 */
export interface States {
  /**
   * Returns the agent as it is afterwards; undefined where the change isn’t possible (it ended
   * meanwhile, or is gone; or its program, which `down` ends, reports it).
   */
  change(id: AgentId, change: StateChange, tx?: StoreTransaction): Promise<Agent | undefined>
  /** A sign of life. */
  seen(id: AgentId, patch?: AgentPatch): Promise<void>
}

/** Dedupe key of agent.started: one for each start of a program. */
export const startedKey = (id: AgentId, pid: number | null): string => `started:${id}:${pid ?? 0}`

/** Seen of its program or said by it, as opposed to what is done to the agent. */
const isOfProgram = ({ source, actor }: StateChange, { id }: Agent): boolean =>
  source === 'hook' ||
  source === 'session' ||
  source === 'screen' ||
  (source === 'tool' && actor === id)

export function createStates({
  store,
  publisher,
  outbox,
  clock,
}: Pick<Deps, 'store' | 'publisher' | 'outbox' | 'clock'>): States {
  const apply = async (
    tx: StoreTransaction,
    id: AgentId,
    change: StateChange,
  ): Promise<Agent | undefined> => {
    const agent = await tx.agents.get(id)
    if (agent === undefined) return undefined
    const reason = change.reason ?? null
    const moves = agent.state !== change.to
    // An end comes once: whoever reports it second changes and publishes nothing.
    if (moves ? !mayBecome(agent.state, change.to) : !isAlive(agent.state)) return undefined
    // A program works on until it has ended: what it still reports must not undo `down`.
    const isStopped = agent.stateReason === STOPPED && agent.paneId === null
    if (isStopped && isOfProgram(change, agent)) return undefined
    if (change.onlyIf?.(agent) === false) return undefined
    const now = change.at ?? clock()
    const isOther = moves || reason !== agent.stateReason
    const patch: AgentPatch = {
      ...change.patch,
      state: change.to,
      stateReason: reason,
      stateSource: change.source,
      lastSeenAt: Math.max(now, agent.lastSeenAt),
      ...(isOther ? { stateAt: now } : {}),
      ...(isAlive(change.to) ? {} : { endedAt: now }),
    }
    await tx.agents.update(id, patch)
    const changed: Agent = { ...agent, ...patch }
    if (isOther) {
      await publisher.publish(
        {
          type: 'agent.state',
          agentId: id,
          actor: change.actor,
          payload: { from: agent.state, to: change.to, source: change.source, reason },
        },
        tx,
      )
    }
    for (const event of change.events?.(changed, agent) ?? []) await publisher.publish(event, tx)
    tx.afterCommit(() => {
      // A hint: what it would report is found by looking.
      if (isOther && (change.to === 'idle' || !isAlive(change.to))) store.signal(id).catch(() => {})
      outbox.wake(id)
    })
    return changed
  }

  return {
    change: (id, change, tx) =>
      tx === undefined ? store.transaction((own) => apply(own, id, change)) : apply(tx, id, change),
    seen: (id, patch = {}) => store.agents.update(id, { ...patch, lastSeenAt: clock() }),
  }
}
