import type { AgentId } from '../../domain/ids.ts'
import type { Delivery } from '../../domain/records.ts'
import { findAgent } from '../agents/directory.ts'
import type { Deps } from '../deps.ts'

/** What was sent to an agent, as people are shown it. Times are milliseconds since the epoch. */
export interface AgentMail {
  agent_id: AgentId
  /** Newest last; of each what became of it. */
  messages: {
    id: string
    kind: string
    subject: string | null
    text: string
    at: number
    state: Delivery['state']
    reach: Delivery['reach']
    lane: string | null
    why: string | null
    handed_at: number | null
    settled_at: number | null
  }[]
  /** For `before` of the page of older ones; null where there are none. */
  older: string | null
  /** Mail of other agents that it has not taken yet, oldest first. */
  waiting: { id: string; from: AgentId; name: string; message: string; sent_at: number }[]
}

/** Reads and takes nothing. AGENT_NOT_FOUND, AMBIGUOUS_ID. */
export function createAgentMail({
  store,
}: Pick<Deps, 'store'>): (
  address: string,
  page: { limit: number; before?: string | undefined },
) => Promise<AgentMail> {
  return async (address, { limit, before }) => {
    const agent = await findAgent(store.agents, address)
    const all = await store.outbox.list({ recipient: agent.id })
    const index = before === undefined ? -1 : all.findIndex(({ id }) => id === before)
    const until = index === -1 ? all.length : index
    const start = Math.max(0, until - limit)
    const page = all.slice(start, until)
    const names = new Map<string, string>(
      (await store.agents.list()).map(({ id, name }) => [id, name]),
    )
    return {
      agent_id: agent.id,
      messages: page.map((delivery) => ({
        id: delivery.id,
        kind: delivery.kind,
        subject: delivery.subject,
        text: delivery.text,
        at: delivery.createdAt,
        state: delivery.state,
        reach: delivery.reach,
        lane: delivery.lane,
        why: delivery.why,
        handed_at: delivery.handedAt,
        settled_at: delivery.settledAt,
      })),
      older: start > 0 ? (page[0]?.id ?? null) : null,
      waiting: (await store.mail.peek(agent.id)).map(({ id, from, message, sentAt }) => ({
        ...{ id, from, message, name: names.get(from) ?? from, sent_at: sentAt },
      })),
    }
  }
}
