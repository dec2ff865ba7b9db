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
  agentCliOf,
  clock,
  workerOf,
}: Pick<WorkerDeps, 'store' | 'records' | 'agentCliOf' | 'clock'> & {
  readonly workerOf: (id: AgentId) => Pick<Worker, 'expect'>
}): OutboxRecovery {
  /**
   * What hooks’ answers were to bring when the daemon ended, by agent: those answers may never have
   * been given.
   */
  const cutOff = new Map<AgentId, DeliveryId[]>()
  return {
    recover: async () => {
      const sent = (await store.outbox.list({ states: ['sent'] })).filter(
        ({ recipient }) => recipient !== 'human',
      )
      for (const [recipient, deliveries] of Map.groupBy(
        sent,
        (delivery) => delivery.recipient as AgentId,
      )) {
        const agent = await store.agents.get(recipient)
        const cli = agent === undefined ? undefined : await agentCliOf(agent)
        const acks = cli?.acks === true
        for (const [batch, [first]] of Map.groupBy(
          deliveries.filter(({ handedAt }) => acks || handedAt === null),
          (delivery) => delivery.batch,
        )) {
          if (batch !== null && first !== undefined)
            await workerOf(recipient).expect(batch, first.lane ?? 'pane', 'found')
        }
        // Of a conversation that can be read it is known what arrived.
        const byHook =
          acks && cli.mentions === undefined ? deliveries.filter(({ lane }) => lane === 'hook') : []
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
        ({ id, lane }) => lane === 'hook' && ids.includes(id),
      )
      if (left.length > 0)
        await records.requeue(left, clock(), 'the daemon ended before its hook was answered')
    },
  }
}
