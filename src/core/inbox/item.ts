import type { AgentId } from '../../domain/ids.ts'
import type { ItemType } from '../../domain/inbox-items.ts'

/** Something that needs a person. It is there as long as that is so, and is stored nowhere. */
export interface Item {
  /** Its place, from 1; another one as soon as an item before it is settled. */
  number: number
  /** The same in every read: `question:q-…`, `pull:12`, `failed:<agent id>`. */
  id: string
  type: ItemType
  /** Whom it is about, by name; null for a pull request that no agent filed. */
  agent: string | null
  agent_id: AgentId | null
  /** Milliseconds since the epoch. */
  since: number
  /** One line. */
  title: string
  text: string
  /** Commands that settle it, or show what has to be known for that. */
  settle: string[]
}

/** What else came from one agent and was not read, as one line. */
export interface NewsLine {
  /** Null for what is about no agent. */
  agent: string | null
  agent_id: AgentId | null
  count: number
  /** Event types, each once. */
  kinds: string[]
  newest: { kind: string; text: string; at: number }
  /** Ids of the messages, oldest first. */
  messages: string[]
}
