import { handOverOf, isOnItsWay, stateOf } from '../domain/delivery-state.ts'
import { cliOf } from '../core/agents/programs.ts'
import type { AgentId, DeliveryId } from '../domain/ids.ts'
import type { Worker, WorkerDeps } from './outbox-worker.ts'

/** What the daemon before left in the middle of being handed over. */
export interface OutboxRecovery {
  /** Sent before this start: to be confirmed, or cut off while they were handed over. */
  recover(): Promise<void>
  /**
   * A program that confirms what it reads calls its hook again, and has not confirmed what the
   * answer before the crash was to bring: that answer never came.
   */
  takeBackCutOff(agentId: AgentId): Promise<void>
}

export function createOutboxRecovery({
  store,
  records,
  settings,
  clock,
  workerOf,
}: Pick<WorkerDeps, 'store' | 'records' | 'settings' | 'clock'> & {
  readonly workerOf: (id: AgentId) => Pick<Worker, 'expect'>
}): OutboxRecovery {
  /**
   * What hooks’ answers were to bring when the daemon ended, by agent: those answers may never have
   * been given.
   */
  const cutOff = new Map<AgentId, DeliveryId[]>()
  return {
    recover: async () => {
      const configured = await settings.snapshot()
      const sent = (await store.outbox.list({ states: ['sent'] })).flatMap((delivery) => {
        const { id, recipient } = delivery
        const state = stateOf(delivery)
        return recipient !== 'human' && isOnItsWay(state) ? [{ id, recipient, state }] : []
      })
      for (const [recipient, deliveries] of Map.groupBy(sent, (delivery) => delivery.recipient)) {
        const agent = await store.agents.get(recipient)
        const cli = agent === undefined ? undefined : cliOf(configured, agent)
        const acks = cli?.acks === true
        const unproven = deliveries.filter(({ state }) => acks || state.name === 'claimed')
        const lanes = new Map(unproven.map(({ state }) => [state.batch, state.lane]))
        for (const [batch, lane] of lanes)
          workerOf(recipient).expect(configured.config, batch, lane, 'found')
        // Of a conversation that can be read it is known what arrived.
        const byHook =
          acks && cli.mentions === undefined
            ? deliveries.filter(({ state }) => state.lane === 'hook')
            : []
        cutOff.set(
          recipient,
          byHook.map(({ id }) => id),
        )
      }
    },

    takeBackCutOff: async (agentId) => {
      const ids = cutOff.get(agentId)
      if (ids === undefined) return
      cutOff.delete(agentId)
      const left = (await store.outbox.list({ recipient: agentId, states: ['sent'] })).filter(
        (delivery) => handOverOf(stateOf(delivery))?.lane === 'hook' && ids.includes(delivery.id),
      )
      if (left.length > 0)
        await records.requeue(left, clock(), 'the daemon ended before its hook was answered')
    },
  }
}
