import type { StoreVerbs } from '../../adapters/store/store.ts'
import { PULL_PREFIX, type PullRecord } from '../../core/pulls/pull-records.ts'
import type { DeliveryId, QuestionId } from '../../domain/ids.ts'
import { isAlive } from '../../domain/lifecycle.ts'
import type { StoredEvent } from '../../domain/records.ts'
import type { EventType } from '../../events/event.ts'

/** Whether what an event asks of a person is still to be done, wherever it would be done. */
export type IsStillOpen = (event: StoredEvent) => Promise<boolean>

/** After one of these an agent’s failure is history. */
const AFTER_FAILURE: readonly EventType[] = [
  'agent.started',
  'agent.completed',
  'agent.killed',
  'agent.reaped',
  'agent.removed',
]

export function createIsStillOpen(
  store: Pick<StoreVerbs, 'agents' | 'approvals' | 'events' | 'outbox' | 'questions' | 'snapshots'>,
): IsStillOpen {
  const isSettledFailure = async ({ seq, agentId }: StoredEvent): Promise<boolean> =>
    agentId !== null &&
    (await store.events.list({ after: seq, agentId, types: AFTER_FAILURE, limit: 1 })).length > 0

  const isOpenPull = async (url: string, number: number): Promise<boolean> => {
    const record = (await store.snapshots.get(`${PULL_PREFIX}${number}`)) as PullRecord | undefined
    return record?.snapshot.url !== url || record.snapshot.state === 'open'
  }

  return async (event) => {
    const { type, payload, agentId } = event
    const agent = agentId === null ? undefined : await store.agents.get(agentId)
    if (type === 'question.asked') {
      const question = await store.questions.get(payload['question_id'] as QuestionId)
      const nobodyWaits = agent === undefined || ['completed', 'killed'].includes(agent.state)
      return question?.answer === null && !nobodyWaits
    }
    if (type === 'approval.requested')
      return (
        (agent === undefined || isAlive(agent.state)) &&
        (await store.approvals.get(String(payload['approval_id'])))?.decision === null
      )
    if (type === 'agent.waiting') return agent?.state === 'waiting'
    if (type === 'agent.failed')
      return agent !== undefined && agent.reapedAt === null && !(await isSettledFailure(event))
    if (type === 'delivery.undecided')
      return (await store.outbox.get(payload['delivery_id'] as DeliveryId))?.state === 'undecided'
    const { url, number } = payload
    return typeof url !== 'string' || typeof number !== 'number' || isOpenPull(url, number)
  }
}
