import type { Caller } from '../../domain/caller.ts'
import type { TakeReceipt } from './receipt.ts'
import type { AgentId, DeliveryId, QuestionId } from '../../domain/ids.ts'
import type { OnceContext } from '../once.ts'
import type { ItemType } from '../../domain/inbox-items.ts'
import type { Item, NewsLine } from '../inbox/item.ts'

interface InboxMessage {
  id: DeliveryId
  kind: string
  text: string
  at: number
  question_id: string | null
}

/** `info`: it begins no turn of its recipient, and goes along with the next thing that does. */
export type Urgency = 'info' | undefined

export interface Messages {
  note(
    caller: Caller,
    message: string,
    options?: {
      stopReason?: boolean | undefined
      urgency?: Urgency
      once?: OnceContext | undefined
    },
  ): Promise<{ status: 'sent' }>
  /** Blocks up to `timeout` seconds; `signal` aborts the wait without losing the answer. */
  question(
    caller: Caller,
    message: string,
    timeout: number | undefined,
    signal: AbortSignal,
    receipt?: TakeReceipt,
  ): Promise<
    | { status: 'answered'; question_id: QuestionId; answer: string }
    | { status: 'pending'; question_id: QuestionId }
  >
  answer(
    caller: Caller,
    address: string,
    message: string,
    questionId: string | undefined,
  ): Promise<{ status: 'delivered' | 'queued'; question_id: QuestionId }>
  /**
   * From a human: injected with its text. Between agents: mail. `raw`: a person’s words reach the
   * program as they are; NOT_ALLOWED for others.
   */
  send(
    caller: Caller,
    to: string,
    message: string,
    options?: {
      raw?: boolean | undefined
      urgency?: Urgency
      once?: OnceContext | undefined
    },
  ): Promise<{ status: 'sent'; to: AgentId }>
  checkMail(
    caller: Caller,
    peek: boolean,
    receipt?: TakeReceipt,
  ): Promise<{ messages: { from: AgentId; name: string; message: string; sent_at: number }[] }>
  /** Confirms deliveries to the caller; unknown ids are reported, not thrown. */
  ack(caller: Caller, ids: readonly string[]): Promise<{ acked: string[]; unknown: string[] }>
  /** The whole text of a message to the caller, which confirms it. INVALID_ARG for others’. */
  read(caller: Caller, id: string): Promise<{ id: string; message: string }>
  /**
   * What needs the human, and what else is unread. `agent` and `type` narrow items and news; `item`
   * leaves one item, by its number, its id, or `next`: INVALID_ARG where there is no such one. The
   * rest of the result is of everything. With `limit` there are no more items and lines of news than
   * that, news with the first page alone, and nothing else. `clear` marks what is unread as read, of
   * that only what was `seen` where that is given, once it is known to have arrived; items stay.
   */
  inbox(
    options: {
      clear: boolean
      /** Ids of messages. */
      seen?: readonly string[] | undefined
      agent?: string | undefined
      type?: ItemType | 'news' | undefined
      item?: string | undefined
      limit?: number | undefined
      after?: string | undefined
    },
    receipt?: TakeReceipt,
  ): Promise<{
    items: Item[]
    /** For `after` of the next page; null where there is none. */
    next: string | null
    /** Items that fit, on all pages; of each type where no type was asked for. */
    total: number
    by_type: Partial<Record<ItemType, number>>
    news: NewsLine[]
    messages: InboxMessage[]
    questions: { question_id: QuestionId; agent: string; message: string; asked_at: number }[]
    approvals: { approval_id: string; agent: string; what: string; requested_at: number }[]
  }>
  decide(
    approvalId: string,
    decision: 'approved' | 'denied',
    reason: string | undefined,
  ): Promise<{ approval_id: string; decision: string }>
}
