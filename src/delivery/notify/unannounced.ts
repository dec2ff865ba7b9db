import type { NoticeItem, NoticeKind } from '../../adapters/notify/target.ts'
import type { StoreVerbs } from '../../adapters/store/store.ts'
import type { Delivery, StoredEvent } from '../../domain/records.ts'
import { definitionOf, type EventType } from '../../events/event.ts'
import type { Subject } from './notice.ts'

/** A message in the inbox that a person is called for, with the event that it reports. */
export interface InboxItem extends NoticeItem, Subject {
  readonly text: string
  readonly stored: StoredEvent
}

/** Of a pull request that is a person’s: what they can do something about. */
const PULLS: ReadonlySet<string> = new Set<EventType>([
  'pr.ready',
  'pr.blocked',
  'pr.conflict',
  'pr.unscheduled',
  'pr.stalled',
  'pr.fork',
  'ci.failed',
  'review.timeout',
  'landing.red',
  'landing.culprit',
  'landing.stopped',
])

const KIND_OF: Partial<Record<string, NoticeKind>> = {
  'question.asked': 'question',
  'approval.requested': 'approval',
  'agent.waiting': 'waiting',
  'agent.failed': 'failure',
  'delivery.undecided': 'delivery',
  'budget.exhausted': 'budget',
} satisfies Partial<Record<EventType, NoticeKind>>

const kindOf = (type: string): NoticeKind =>
  PULLS.has(type) ? 'pull_request' : (KIND_OF[type] ?? 'other')

const isUrgent = (type: string): boolean => definitionOf(type)?.urgent === true

/** Whether a person is called for a message of this kind; `urgentOnly`: pull requests left out. */
const calls = ({ kind }: Delivery, urgentOnly: boolean): boolean =>
  isUrgent(kind) || (!urgentOnly && PULLS.has(kind))

/**
 * What waits in the inbox that somebody is called for, oldest first: what they marked as read, and
 * what was withdrawn, no longer waits.
 */
export async function waitingForPerson(
  store: Pick<StoreVerbs, 'outbox'>,
  options: { readonly urgentOnly: boolean },
): Promise<Delivery[]> {
  const queued = await store.outbox.list({ recipient: 'human', states: ['queued'] })
  return queued.filter(
    (delivery) => delivery.eventSeq !== null && calls(delivery, options.urgentOnly),
  )
}

/** The same with its event; undefined where that is stored no more. */
export async function itemOf(
  store: Pick<StoreVerbs, 'agents' | 'events'>,
  { id, kind, text, eventSeq, createdAt }: Delivery,
): Promise<InboxItem | undefined> {
  const [stored] = await store.events.list({ after: (eventSeq ?? 0) - 1, limit: 1 })
  if (stored === undefined || stored.seq !== eventSeq) return undefined
  const { payload, agentId } = stored
  const agent = agentId === null ? undefined : await store.agents.get(agentId)
  const noticeKind = kindOf(kind)
  return {
    id,
    kind: noticeKind,
    event: kind,
    agent: agent?.name ?? (typeof payload['name'] === 'string' ? payload['name'] : null),
    at: createdAt,
    text,
    subject: subjectOf(noticeKind, stored, id),
    stored,
  }
}

/** Of a pull request and of an agent that waits there is one thing to be done, however often said. */
function subjectOf(kind: NoticeKind, { payload, agentId }: StoredEvent, id: string): string {
  if (kind === 'pull_request') return `pull ${String(payload['url'])}`
  return (kind === 'waiting' || kind === 'failure') && agentId !== null ? `${kind} ${agentId}` : id
}
