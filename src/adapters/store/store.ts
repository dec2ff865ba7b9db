import type { Actor, AgentId, DeliveryId, QuestionId, Recipient } from '../../domain/ids.ts'
import type {
  Agent,
  AgentPatch,
  Approval,
  Delivery,
  DeliveryStatus,
  JournalEntry,
  Lane,
  Mail,
  NewDelivery,
  NewStoredEvent,
  Question,
  Reach,
  Run,
  RunResult,
  ScrollbackEntry,
  StoredEvent,
} from '../../domain/records.ts'
import type { PullStore } from './pull-store.ts'
import type { UsageStore } from './usage-store.ts'

/**
 * The store: facts, no decisions. Every verb is async because one implementation will be a server.
 * Times are milliseconds since the epoch. Implementations pass
 * test/conformance/store/store.test.ts.
 */

export interface AgentStore {
  insert(agent: Agent): Promise<void>
  get(id: AgentId): Promise<Agent | undefined>
  /**
   * All agents, oldest first; `live` leaves out completed, failed and killed ones. `address`: only
   * those whose id, branch or name it is, or whose id begins with it, or whose branch ends with it
   * behind a dot.
   */
  list(filter?: { live?: boolean; parentId?: AgentId; address?: string }): Promise<Agent[]>
  update(id: AgentId, patch: AgentPatch): Promise<void>
  /** Only for the rollback of a spawn. */
  remove(id: AgentId): Promise<void>
  findByTokenHash(hash: string): Promise<Agent | undefined>
}

export interface EventStore {
  /** Undefined where the dedupe key is known already: nothing was written. */
  append(event: NewStoredEvent): Promise<StoredEvent | undefined>
  /**
   * Ascending by seq. `after` and `before` are exclusive; `since` is a time, `until` one that is not
   * in it; `types`, `agentId` and `agentIds` narrow. `last` gives the newest N, still ascending.
   */
  list(query: {
    after?: number
    before?: number
    since?: number
    until?: number
    types?: readonly string[]
    agentId?: AgentId
    agentIds?: readonly AgentId[]
    limit?: number
    last?: number
  }): Promise<StoredEvent[]>
  lastSeq(): Promise<number>
  /** Removes events older than the time; returns how many. Dedupe keys outlive their events. */
  prune(before: number): Promise<number>
}

export interface OutboxStore {
  enqueue(delivery: NewDelivery): Promise<void>
  get(id: DeliveryId): Promise<Delivery | undefined>
  list(filter: {
    recipient?: Recipient
    states?: readonly DeliveryStatus[]
    batch?: string
    subject?: string
    reach?: Reach
    limit?: number
  }): Promise<Delivery[]>
  /** Count of deliveries in these states per recipient; `but`: of these kinds none. */
  counts(
    states: readonly DeliveryStatus[],
    options?: { reach?: Reach; but?: readonly string[] },
  ): Promise<Map<Recipient, number>>
  /**
   * queued → sent, atomically, for those still queued; returns the ones it took. Written before the
   * hand-over. `why` stays what it was.
   */
  claim(ids: readonly DeliveryId[], lane: Lane, batch: string, at: number): Promise<Delivery[]>
  handed(ids: readonly DeliveryId[], at: number): Promise<void>
  /** sent|queued → acked|failed|undecided, and undecided → acked. Returns the ids that changed. */
  settle(
    ids: readonly DeliveryId[],
    state: 'acked' | 'failed' | 'undecided',
    why: string | null,
    at: number,
  ): Promise<DeliveryId[]>
  /** queued → withdrawn, for those still queued; returns the ids that changed. */
  withdraw(ids: readonly DeliveryId[], why: string, at: number): Promise<DeliveryId[]>
  /** Back to queued after a hand-over that certainly did not happen. */
  requeue(ids: readonly DeliveryId[], nextAttemptAt: number, why: string): Promise<void>
  /**
   * Unsettled deliveries of one recipient go to another (its agent is gone). `why`: null leaves what
   * was said of each. `but` stay. Returns the ids.
   */
  reroute(
    from: Recipient,
    to: Recipient,
    why: string | null,
    options?: { but?: readonly DeliveryId[] },
  ): Promise<DeliveryId[]>
  prune(before: number): Promise<number>
}

export interface MailStore {
  /** Stores it and wakes the channel `agent_event_<to>`. */
  send(mail: Mail): Promise<void>
  /** Takes mail out, oldest first: all of it, or as much as is asked for. */
  pop(
    to: AgentId,
    options?: { from?: readonly AgentId[]; ids?: readonly string[]; limit?: number },
  ): Promise<Mail[]>
  /** What `pop` would take. */
  peek(
    to: AgentId,
    options?: { from?: readonly AgentId[]; ids?: readonly string[]; limit?: number },
  ): Promise<Mail[]>
  /** How many wait, for each mailbox that is not empty. */
  counts(): Promise<Map<AgentId, number>>
  /** Puts popped mail back at its old place. */
  giveBack(ids: readonly string[]): Promise<void>
  /** Popped mail reached who popped it. */
  confirm(ids: readonly string[]): Promise<void>
  /** Popped, and not confirmed. */
  unconfirmed(): Promise<Mail[]>
}

export interface QuestionStore {
  insert(question: Question): Promise<void>
  get(id: QuestionId): Promise<Question | undefined>
  /** Unanswered, oldest first. */
  open(agentId?: AgentId): Promise<Question[]>
  /** False where it was answered already. */
  answer(id: QuestionId, answer: string, by: Actor, at: number): Promise<boolean>
  /** Answered, and nobody has claimed the answer. */
  unclaimed(): Promise<Question[]>
  /** Exactly one caller ever gets true: it delivers the answer. */
  claim(id: QuestionId, by: 'tool' | 'delivery'): Promise<boolean>
  /** The result of the tool call that claimed it reached the agent. */
  confirm(id: QuestionId): Promise<void>
  /** Claimed by a tool call, and not confirmed, oldest first. */
  unconfirmed(): Promise<Question[]>
  /** Undoes the claim of a tool call. False where there was none. */
  giveBack(id: QuestionId): Promise<boolean>
}

export interface JournalStore {
  begin(entry: {
    id: string
    kind: string
    step: string
    data: Record<string, unknown>
    startedAt: number
  }): Promise<void>
  /** Records the step about to be taken and merges data. */
  step(id: string, step: string, data?: Record<string, unknown>): Promise<void>
  finish(id: string, state: 'done' | 'undone'): Promise<void>
  open(): Promise<JournalEntry[]>
  get(id: string): Promise<JournalEntry | undefined>
}

export interface ApprovalStore {
  insert(approval: Approval): Promise<void>
  get(id: string): Promise<Approval | undefined>
  pending(): Promise<Approval[]>
  /** False where it was decided already. */
  decide(
    id: string,
    decision: 'approved' | 'denied',
    reason: string | null,
    at: number,
  ): Promise<boolean>
}

/** Wall-clock deadlines that survive a restart, by unique key. */
export interface DeadlineStore {
  set(key: string, at: number, data: Record<string, unknown>): Promise<void>
  remove(key: string): Promise<void>
  removePrefix(prefix: string): Promise<void>
  due(now: number): Promise<{ key: string; at: number; data: Record<string, unknown> }[]>
  /** The earliest deadline, for the timer. */
  next(): Promise<number | undefined>
}

/** Last seen state of things that are polled (JSON by key). */
export interface SnapshotStore {
  get(key: string): Promise<Record<string, unknown> | undefined>
  put(key: string, value: Record<string, unknown>): Promise<void>
  remove(key: string): Promise<void>
  keys(prefix: string): Promise<string[]>
  /** All whose key begins so, by key. */
  list(prefix: string): Promise<Map<string, Record<string, unknown>>>
}

/** Written once, never changed. */
export interface ScrollbackStore {
  append(entry: Omit<ScrollbackEntry, 'seq'>): Promise<ScrollbackEntry>
  /** Of one agent, oldest first. */
  list(agentId: AgentId): Promise<ScrollbackEntry[]>
}

export interface RunStore {
  insert(run: Omit<Run, 'result'>): Promise<void>
  get(agentId: AgentId): Promise<Run | undefined>
  /** Those with a deadline and without a result, by deadline. */
  timed(): Promise<Run[]>
  /** False where there is a result already: that stays. Makes the row where there is none. */
  finish(agentId: AgentId, result: RunResult): Promise<boolean>
  /** Its program is started again: what came of the one before no longer counts. */
  reopen(agentId: AgentId): Promise<void>
  /** Only for the rollback of a spawn. */
  remove(agentId: AgentId): Promise<void>
}

/** All verbs; the same set inside and outside a transaction. */
export interface StoreVerbs {
  readonly agents: AgentStore
  readonly events: EventStore
  readonly outbox: OutboxStore
  readonly mail: MailStore
  readonly questions: QuestionStore
  readonly journal: JournalStore
  readonly approvals: ApprovalStore
  readonly deadlines: DeadlineStore
  readonly snapshots: SnapshotStore
  readonly pulls: PullStore
  readonly scrollback: ScrollbackStore
  readonly runs: RunStore
  readonly usage: UsageStore
}

export interface StoreTransaction extends StoreVerbs {
  /** Runs once the transaction is durable; never when it rolls back. */
  afterCommit(callback: () => void): void
}

export interface Store extends StoreVerbs {
  /** Where it is, as messages name it: a file, or a database and its schema. No secret. */
  readonly place: string
  /** Milliseconds after which who waits looks unwoken, as a wake-up can be lost; null: none is. */
  readonly lookEvery: number | null
  /**
   * One immediate write transaction. Use only `tx` inside: the outer verbs would wait for it for
   * ever.
   */
  transaction<T>(work: (tx: StoreTransaction) => Promise<T>): Promise<T>
  /**
   * Calls back when mail, death or idling is signalled on `agent_event_<id>`; returns how to stop.
   */
  subscribe(agentId: AgentId, listener: () => void): () => void
  /** Wakes the subscribers of `agent_event_<id>`. */
  signal(agentId: AgentId): Promise<void>
  /** Copies all that is committed, in use; returns where to. Null: the database has own means. */
  readonly backUp: ((folder: string) => Promise<string>) | null
  close(): Promise<void>
}
