import type { Generated } from 'kysely'
import type { CheckRow, PullRow, ReviewCommentRow, ReviewRow } from '../../../domain/forge-rows.ts'
import type {
  Agent,
  Approval,
  Delivery,
  JournalEntry,
  Mail,
  Question,
  Run,
  ScrollbackEntry,
  StoredEvent,
  UsageHour,
} from '../../../domain/records.ts'

/**
 * The rows as they lie in the database. Columns have the names of the interface's fields, so most rows
 * are read and written as they are; what SQLite has no type for is text (JSON) or 0 and 1, in every
 * dialect. `seq` is
 * the order of insertion: it never leaves the store, except an event's.
 */
export interface Tables {
  agents: Ordered<
    Omit<Agent, 'ownsWorktree' | 'adopted' | 'outcome' | 'tools' | 'usage'> & {
      ownsWorktree: number
      adopted: number
      outcome: string | null
      tools: string | null
      usage: string | null
    }
  >
  events: Ordered<Omit<StoredEvent, 'seq' | 'payload'> & { payload: string }>
  event_keys: { key: string }
  deliveries: Ordered<Delivery>
  mail: Ordered<
    Omit<Mail, 'from' | 'to'> & {
      sender: Mail['from']
      recipient: Mail['to']
      poppedAt: number | null
      confirmed: Generated<number>
    }
  >
  questions: Ordered<Question & { confirmed: Generated<number> }>
  journal: Ordered<Omit<JournalEntry, 'data'> & { data: string }>
  approvals: Ordered<Approval>
  deadlines: { key: string; at: number; data: string }
  snapshots: { key: string; value: string }
  pulls: Omit<PullRow, 'draft'> & { draft: number }
  reviews: Omit<ReviewRow, 'id' | 'comments'> & { id: Generated<number> }
  review_comments: Omit<ReviewCommentRow, 'id' | 'resolved'> & {
    id: Generated<number>
    review: number
    resolved: Generated<number>
  }
  checks: Omit<CheckRow, 'id'> & { id: Generated<number> }
  scrollback: Ordered<Omit<ScrollbackEntry, 'seq'>>
  runs: Omit<Run, 'result'> & { result: string | null }
  usage_hours: UsageHour
}

type Ordered<Row> = Row & { seq: Generated<number> }
