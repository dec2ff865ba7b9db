import type { StoreVerbs } from '../../adapters/store/store.ts'
import type { AgentId } from '../../domain/ids.ts'
import type { Agent, Delivery } from '../../domain/records.ts'
import type { EventType } from '../../events/event.ts'
import { isBlocked, isReady } from '../pulls/readiness.ts'
import type { InboxFacts } from './inbox-facts.ts'
import type { Item, NewsLine } from './item.ts'

/** What only announces something that is an item while it is so, and over after that. */
export const ANNOUNCEMENTS: readonly EventType[] = [
  'question.asked',
  'approval.requested',
  'agent.waiting',
  'agent.failed',
  'pr.ready',
  'pr.blocked',
  'delivery.undecided',
]

/** The question that a message to the human asks; null where it asks none. */
export const questionIn = ({ kind, text }: Pick<Delivery, 'kind' | 'text'>): string | null =>
  kind === 'question.asked' ? (/\b(q-[0-9a-f]{8})\b/.exec(text)?.[1] ?? null) : null

/**
 * Whether an unread message is news. An announcement is none, but where what it announces still
 * stands and is nobody’s item: the root was without a program then, and has one now that was never
 * notified.
 */
export function isNews(
  delivery: Pick<Delivery, 'kind' | 'text' | 'subject'>,
  { questions, pulls }: Pick<InboxFacts, 'questions' | 'pulls'>,
  items: readonly Pick<Item, 'id'>[],
): boolean {
  const { kind, subject } = delivery
  if (!(ANNOUNCEMENTS as readonly string[]).includes(kind)) return true
  const isItem = (id: string): boolean => items.some((item) => item.id === id)
  const asked = questionIn(delivery)
  if (asked !== null)
    return questions.some(({ id }) => id === asked) && !isItem(`question:${asked}`)
  const pull = pulls.find(({ url }) => url === subject)
  return pull !== undefined && !isItem(`pull:${pull.number}`) && (isReady(pull) || isBlocked(pull))
}

/** One line for each agent, the newest first. `aboutOf`: whom each message is about, by its id. */
export function foldNews(
  news: readonly Pick<Delivery, 'id' | 'kind' | 'text' | 'createdAt'>[],
  agents: readonly Agent[],
  aboutOf: ReadonlyMap<string, AgentId | null>,
): NewsLine[] {
  const byId = new Map(agents.map((agent) => [agent.id, agent]))
  const nameOf = (id: AgentId | null): string | null =>
    id === null ? null : (byId.get(id)?.name ?? id)
  return [...Map.groupBy(news, ({ id }) => aboutOf.get(id) ?? null)]
    .map(([agentId, unsorted]): NewsLine => {
      const all = unsorted.toSorted((a, b) => a.createdAt - b.createdAt)
      const last = all.at(-1)
      return {
        agent: nameOf(agentId),
        agent_id: agentId,
        count: all.length,
        kinds: [...new Set(all.map(({ kind }) => kind))],
        newest: { kind: last?.kind ?? '', text: last?.text ?? '', at: last?.createdAt ?? 0 },
        messages: all.map(({ id }) => id),
      }
    })
    .toSorted((a, b) => b.newest.at - a.newest.at)
}

/** Whom each message is about: mail its sender, all else the agent of its event. */
export async function aboutOf(
  { events }: Pick<StoreVerbs, 'events'>,
  news: readonly Pick<Delivery, 'id' | 'eventSeq'>[],
): Promise<Map<string, AgentId | null>> {
  const found = new Map<string, AgentId | null>()
  for (const { id, eventSeq } of news) {
    if (eventSeq === null) continue
    const [event] = await events.list({ after: eventSeq - 1, limit: 1 })
    if (event?.seq !== eventSeq) continue
    const isMail = event.type === 'message' && event.actor !== 'human'
    found.set(id, isMail ? (event.actor as AgentId) : event.agentId)
  }
  return found
}
