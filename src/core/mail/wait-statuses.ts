import type { StoreVerbs } from '../../adapters/store/store.ts'
import type { Agent } from '../../domain/records.ts'
import type { AgentId } from '../../domain/ids.ts'
import type { WaitStatus } from './agent-waits.ts'
import { cliOf } from '../agents/programs.ts'
import type { Deps } from '../deps.ts'
import { stateOf } from '../../domain/delivery-state.ts'
import { hasProgram, isAlive } from '../../domain/lifecycle.ts'
import { quietKeyOf } from './mail-notices.ts'

type Verbs = Pick<StoreVerbs, 'agents' | 'mail' | 'outbox' | 'snapshots'>

/** How agents stand to one that waits for them. */
export interface WaitStatuses {
  /**
   * Those whose programs confirm what they read: asked beforehand, because a transaction must not
   * wait for a configuration.
   */
  confirming(agents: readonly Agent[]): Promise<ReadonlySet<AgentId>>
  /**
   * Of one that has sent no message: `dead` where it ended, `idle` where its turn has ended and
   * nothing is on its way to it, by which it would begin another: mail of the one who waits, or a
   * message that it has not confirmed. Without a program it begins none. Else `running`.
   */
  withoutMessage(
    verbs: Verbs,
    id: AgentId,
    waiter: AgentId,
    confirming: ReadonlySet<AgentId>,
  ): Promise<Exclude<WaitStatus, 'received'>>
  /** Of all of them, in their order. */
  of(
    verbs: Verbs,
    ids: readonly AgentId[],
    waiter: AgentId,
    confirming: ReadonlySet<AgentId>,
  ): Promise<Map<AgentId, WaitStatus>>
}

export function createWaitStatuses({ settings }: Pick<Deps, 'settings'>): WaitStatuses {
  const hasMoreToDo = async (
    { outbox }: Verbs,
    id: AgentId,
    confirms: boolean,
  ): Promise<boolean> => {
    // What is only carried along begins no turn.
    const waiting = { recipient: id, states: ['queued'], reach: 'wake', limit: 1 } as const
    if ((await outbox.list(waiting)).length > 0) return true
    // One that never confirms has what was handed over.
    return (await outbox.list({ recipient: id, states: ['sent'] })).some(
      (delivery) => confirms || stateOf(delivery).name === 'claimed',
    )
  }

  const withoutMessage: WaitStatuses['withoutMessage'] = async (verbs, id, waiter, confirming) => {
    const agent = await verbs.agents.get(id)
    if (agent === undefined || !isAlive(agent.state)) return 'dead'
    if (agent.state !== 'idle') return 'running'
    if (!hasProgram(agent)) return 'idle'
    for (const mail of await verbs.mail.peek(id, { from: [waiter] }))
      if ((await verbs.snapshots.get(quietKeyOf(mail))) === undefined) return 'running'
    return (await hasMoreToDo(verbs, id, confirming.has(id))) ? 'running' : 'idle'
  }

  return {
    withoutMessage,
    confirming: async (agents) => {
      const configured = await settings.snapshot().catch(() => undefined)
      if (configured === undefined) return new Set()
      return new Set(
        agents.flatMap((agent) => (cliOf(configured, agent)?.acks === true ? [agent.id] : [])),
      )
    },
    of: async (verbs, ids, waiter, confirming) => {
      const senders = new Set(
        (await verbs.mail.peek(waiter, { from: ids })).map(({ from }) => from),
      )
      const waitStatuses = new Map<AgentId, WaitStatus>()
      for (const id of ids)
        waitStatuses.set(
          id,
          senders.has(id) ? 'received' : await withoutMessage(verbs, id, waiter, confirming),
        )
      return waitStatuses
    },
  }
}
