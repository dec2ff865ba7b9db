import type { StoreVerbs } from '../../adapters/store/store.ts'
import type { AgentId } from '../../domain/ids.ts'
import type { Agent, Delivery, StoredEvent } from '../../domain/records.ts'
import type { EventType } from '../../events/event.ts'
import { isBlocked, isReady } from '../pulls/readiness.ts'
import type { InboxFacts } from './inbox-facts.ts'
import type { NewsLine } from './item.ts'

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
 * notified. `items`: the ids of all there are.
 */
export function isNews(
  delivery: Pick<Delivery, 'kind' | 'text' | 'subject'>,
  { questions, pulls }: Pick<InboxFacts, 'questions' | 'pulls'>,
  items: ReadonlySet<string>,
): boolean {
  const { kind, subject } = delivery
  if (!(ANNOUNCEMENTS as readonly string[]).includes(kind)) return true
  const asked = questionIn(delivery)
  if (asked !== null)
    return questions.some(({ id }) => id === asked) && !items.has(`question:${asked}`)
  const pull = pulls.find(({ url }) => url === subject)
  return (
    pull !== undefined && !items.has(`pull:${pull.number}`) && (isReady(pull) || isBlocked(pull))
  )
}

/**
 * One line for each agent, the newest first; of the same millisecond the one that is later in
 * `news`, which stands as it was written. `aboutOf`: whom each message is about, by its id.
 */
export function foldNews(
  news: readonly Pick<Delivery, 'id' | 'kind' | 'text' | 'createdAt'>[],
  agents: readonly Agent[],
  aboutOf: ReadonlyMap<string, AgentId | null>,
): NewsLine[] {
  const byId = new Map(agents.map((agent) => [agent.id, agent]))
  const placeOf = new Map<string, number>(news.map(({ id }, place) => [id, place]))
  const nameOf = (id: AgentId | null): string | null =>
    id === null ? null : (byId.get(id)?.name ?? id)
  const lastPlace = ({ messages }: NewsLine): number => placeOf.get(messages.at(-1) ?? '') ?? -1
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
    .toSorted((a, b) => b.newest.at - a.newest.at || lastPlace(b) - lastPlace(a))
}

/** Whom each message is about: mail its sender, all else the agent of its event. */
export async function aboutOf(
  { events }: Pick<StoreVerbs, 'events'>,
  news: readonly Pick<Delivery, 'id' | 'eventSeq'>[],
): Promise<Map<string, AgentId | null>> {
  const found = new Map<string, AgentId | null>()
  const bySeq = new Map<number, StoredEvent>()
  for (const { from, to } of runsOf(news.flatMap(({ eventSeq }) => eventSeq ?? [])))
    for (const event of await events.list({ after: from - 1, before: to + 1 }))
      bySeq.set(event.seq, event)
  for (const { id, eventSeq } of news) {
    const event = eventSeq === null ? undefined : bySeq.get(eventSeq)
    if (event === undefined) continue
    const isMail = event.type === 'message' && event.actor !== 'human'
    found.set(id, isMail ? (event.actor as AgentId) : event.agentId)
  }
  return found
}

/** Numbers that lie near each other are read together, with what little lies between them. */
function runsOf(numbers: readonly number[]): { from: number; to: number }[] {
  const runs: { from: number; to: number }[] = []
  for (const number of numbers.toSorted((one, other) => one - other)) {
    const last = runs.at(-1)
    if (last !== undefined && number - last.to <= GAP && number - last.from < RUN) last.to = number
    else runs.push({ from: number, to: number })
  }
  return runs
}

const GAP = 8
const RUN = 500
