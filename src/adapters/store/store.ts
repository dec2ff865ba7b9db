import type { Actor, AgentId, BranchName, DeliveryId, PaneId, QuestionId, Recipient, Sha } from '../../domain/ids.ts'
import type { PullStore } from './forge-rows.ts'

export type * from './forge-rows.ts'

/**
 * The store: facts, no decisions. Every verb is async because one implementation will be a server.
 * Times are milliseconds since the epoch. Implementations pass test/conformance/store.test.ts.
 */

export type AgentKind = 'root' | 'subtree' | 'worker' | 'fork' | 'llm' | 'process' | 'delegate' | 'spawn'
export type AgentRuntime = 'pane' | 'headless' | 'acp'
/** `unknown`: its program lives, and what it does can’t be told. */
export type AgentState = 'spawning' | 'running' | 'idle' | 'waiting' | 'unknown' | 'completed' | 'failed' | 'killed'
/** What a state was concluded from. `session`: the program’s own status file or interface; `screen`: its terminal. */
export type StateSource = 'hook' | 'tool' | 'session' | 'screen' | 'process' | 'daemon' | 'human'

/** What an agent reported when it was done (the structured completion message). */
export interface Outcome {
  readonly success: boolean
  readonly summary?: string
  readonly error?: string
  readonly partial?: string
  /** When it said so (ms since the epoch); absent from what was stored before. */
  readonly at?: number
}

/** Tokens by model. */
export interface Usage {
  readonly models: Readonly<Record<string, { readonly input: number; readonly output: number; readonly cacheRead: number; readonly cacheWrite: number }>>
}

export interface Agent {
  readonly id: AgentId
  readonly name: string
  readonly kind: AgentKind
  readonly runtime: AgentRuntime
  readonly role: string
  /** Of its role’s tools only these; null for all. */
  readonly tools: readonly string[] | null
  /** `[agents.NAME]` that runs it; null for a root without a process. */
  readonly agentCli: string | null
  readonly parentId: AgentId | null
  readonly depth: number
  readonly branch: BranchName
  /** Branch its pull request goes to; null for a root without a base. */
  readonly baseBranch: BranchName | null
  /** Commit of the base that its work starts from; each rebase moves it. */
  readonly forkPoint: Sha | null
  /** Absolute path of the folder it works in. */
  readonly worktree: string
  /** False for a fork, which shares its parent’s worktree, and for the root. */
  readonly ownsWorktree: boolean
  /** The branch or worktree existed before the spawn: never removed by us. */
  readonly adopted: boolean
  readonly paneId: PaneId | null
  readonly pid: number | null
  readonly sessionId: string | null
  readonly transcript: string | null
  readonly task: string
  readonly state: AgentState
  readonly stateReason: string | null
  readonly stateSource: StateSource
  readonly stateAt: number
  readonly outcome: Outcome | null
  readonly exitCode: number | null
  readonly exitSignal: string | null
  readonly lastSeenAt: number
  /** All that its conversation used, of every kind and model. */
  readonly tokens: number
  /** The same by model, where its adapter tells; null where it doesn’t. */
  readonly usage: Usage | null
  readonly toolCalls: number
  /** Objection of the stop check that holds it, and how often in a row. */
  readonly stopObjection: string | null
  readonly stopBlocks: number
  /** Reason given with `note --stop-reason`: skips the commit and rebase objections until the next commit. */
  readonly stopExcuse: string | null
  readonly rebaseTries: number
  readonly spawnedAt: number
  readonly endedAt: number | null
  /** Out of sight since then (`reap`); rows and transcript stay. */
  readonly reapedAt: number | null
  /** Its worktree and branch were proven merged and taken away. */
  readonly cleanedAt: number | null
  /** SHA-256 of its bearer token, hex. */
  readonly tokenHash: string
}

export type AgentPatch = Partial<Omit<Agent, 'id' | 'kind' | 'spawnedAt'>>

export interface AgentStore {
  insert(agent: Agent): Promise<void>
  get(id: AgentId): Promise<Agent | undefined>
  /**
   * All agents, oldest first; `live` leaves out completed, failed and killed ones. `address`: only those whose id, branch or name it is, or
   * whose id begins with it, or whose branch ends with it behind a dot.
   */
  list(filter?: { live?: boolean; parentId?: AgentId; address?: string }): Promise<Agent[]>
  update(id: AgentId, patch: AgentPatch): Promise<void>
  /** Only for the rollback of a spawn. */
  remove(id: AgentId): Promise<void>
  findByTokenHash(hash: string): Promise<Agent | undefined>
}

export interface StoredEvent {
  /** Ascending, without reuse: the id in the SSE stream. */
  readonly seq: number
  readonly type: string
  readonly at: number
  readonly agentId: AgentId | null
  readonly actor: Actor
  readonly why: string | null
  readonly dedupeKey: string | null
  readonly payload: Record<string, unknown>
}
export type NewStoredEvent = Omit<StoredEvent, 'seq'>

export interface EventStore {
  /** Undefined where the dedupe key is known already: nothing was written. */
  append(event: NewStoredEvent): Promise<StoredEvent | undefined>
  /** Ascending by seq. `after` is exclusive; `since` is a time; `types` and `agentId` narrow. `last` gives the newest N, still ascending. */
  list(query: { after?: number; since?: number; types?: readonly string[]; agentId?: AgentId; limit?: number; last?: number }): Promise<StoredEvent[]>
  lastSeq(): Promise<number>
  /** Removes events older than the time; answers how many. Dedupe keys outlive their events. */
  prune(before: number): Promise<number>
}

/** `withdrawn`: it was no longer true before anybody was told. */
export type DeliveryState = 'queued' | 'sent' | 'acked' | 'failed' | 'undecided' | 'withdrawn'
/** `channel`: a way of the program’s own, beside its terminal. */
export type Lane = 'tool' | 'hook' | 'channel' | 'acp' | 'pane' | 'inbox'

export interface Delivery {
  readonly id: DeliveryId
  readonly recipient: Recipient
  readonly eventSeq: number | null
  /** The event type, or `message`, `mail`. */
  readonly kind: string
  /** What it is about, where that can change before it is delivered: the URL of a pull request. */
  readonly subject: string | null
  /** Rendered and escaped, ready to be read by a model. */
  readonly text: string
  readonly state: DeliveryState
  readonly lane: Lane | null
  /** Deliveries handed over together share it. */
  readonly batch: string | null
  readonly attempts: number
  readonly createdAt: number
  readonly nextAttemptAt: number
  /** When it was about to be handed over; with handedAt null and state sent, a crash hid the outcome. */
  readonly sentAt: number | null
  readonly handedAt: number | null
  readonly settledAt: number | null
  readonly why: string | null
}
export type NewDelivery = Pick<Delivery, 'id' | 'recipient' | 'eventSeq' | 'kind' | 'text' | 'createdAt'> & Partial<Pick<Delivery, 'subject'>>

export interface OutboxStore {
  enqueue(delivery: NewDelivery): Promise<void>
  get(id: DeliveryId): Promise<Delivery | undefined>
  list(filter: { recipient?: Recipient; states?: readonly DeliveryState[]; batch?: string; subject?: string; limit?: number }): Promise<Delivery[]>
  /** Count of deliveries in these states per recipient. */
  counts(states: readonly DeliveryState[]): Promise<Map<Recipient, number>>
  /** queued → sent, atomically, for those still queued; answers the ones it took. Written before the hand-over. `why` stays what it was. */
  claim(ids: readonly DeliveryId[], lane: Lane, batch: string, at: number): Promise<Delivery[]>
  handed(ids: readonly DeliveryId[], at: number): Promise<void>
  /** sent|queued → acked|failed|undecided, and undecided → acked. Answers the ids that changed. */
  settle(ids: readonly DeliveryId[], state: 'acked' | 'failed' | 'undecided', why: string | null, at: number): Promise<DeliveryId[]>
  /** queued → withdrawn, for those still queued; returns the ids that changed. */
  withdraw(ids: readonly DeliveryId[], why: string, at: number): Promise<DeliveryId[]>
  /** Back to queued after a hand-over that certainly did not happen. */
  requeue(ids: readonly DeliveryId[], nextAttemptAt: number, why: string): Promise<void>
  /** Unsettled deliveries of one recipient go to another (its agent is gone). Answers the ids. */
  reroute(from: Recipient, to: Recipient, why: string): Promise<DeliveryId[]>
  prune(before: number): Promise<number>
}

export interface Mail {
  readonly id: string
  readonly from: AgentId
  readonly to: AgentId
  readonly message: string
  readonly sentAt: number
}

export interface MailStore {
  /** Stores it and wakes the channel `agent_event_<to>`. */
  send(mail: Mail): Promise<void>
  /** Takes mail out, oldest first: all of it, or as much as is asked for. */
  pop(to: AgentId, options?: { from?: readonly AgentId[]; ids?: readonly string[]; limit?: number }): Promise<Mail[]>
  /** What `pop` would take. */
  peek(to: AgentId, options?: { from?: readonly AgentId[]; ids?: readonly string[]; limit?: number }): Promise<Mail[]>
  /** How many wait, for each mailbox that is not empty. */
  counts(): Promise<Map<AgentId, number>>
  /** Puts popped mail back at its old place. */
  giveBack(ids: readonly string[]): Promise<void>
  /** Popped mail reached who popped it. */
  confirm(ids: readonly string[]): Promise<void>
  /** Popped, and not confirmed. */
  unconfirmed(): Promise<Mail[]>
}

export interface Question {
  readonly id: QuestionId
  readonly agentId: AgentId
  readonly message: string
  readonly askedAt: number
  readonly answer: string | null
  readonly answeredBy: Actor | null
  readonly answeredAt: number | null
  /** How the answer reached the agent; set once. */
  readonly claimedBy: 'tool' | 'delivery' | null
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

export interface JournalEntry {
  readonly id: string
  readonly kind: string
  readonly step: string
  readonly data: Record<string, unknown>
  readonly state: 'open' | 'done' | 'undone'
  readonly startedAt: number
}

export interface JournalStore {
  begin(entry: { id: string; kind: string; step: string; data: Record<string, unknown>; startedAt: number }): Promise<void>
  /** Records the step about to be taken and merges data. */
  step(id: string, step: string, data?: Record<string, unknown>): Promise<void>
  finish(id: string, state: 'done' | 'undone'): Promise<void>
  open(): Promise<JournalEntry[]>
  get(id: string): Promise<JournalEntry | undefined>
}

export interface Approval {
  readonly id: string
  readonly agentId: AgentId
  readonly what: string
  readonly requestedAt: number
  readonly decision: 'approved' | 'denied' | null
  readonly decidedAt: number | null
  readonly reason: string | null
}

export interface ApprovalStore {
  insert(approval: Approval): Promise<void>
  get(id: string): Promise<Approval | undefined>
  pending(): Promise<Approval[]>
  /** False where it was decided already. */
  decide(id: string, decision: 'approved' | 'denied', reason: string | null, at: number): Promise<boolean>
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

/**
 * What is shown in an agent’s scrollback beside the text of its terminal, and never reaches it. `capture` is a line that a person wrote for a
 * child to be; the others of that name say when the capture was begun, given up, or became a child. `wait` is the result of a person’s wait.
 */
export type ScrollbackKind = 'capture-begin' | 'capture' | 'capture-cancel' | 'capture-fork' | 'wait'

export interface ScrollbackEntry {
  /** Ascending. */
  readonly seq: number
  readonly agentId: AgentId
  readonly kind: ScrollbackKind
  readonly text: string
  readonly at: number
  /** Lines of the terminal’s text that stood above it then. */
  readonly line: number
}

/** Written once, never changed. */
export interface ScrollbackStore {
  append(entry: Omit<ScrollbackEntry, 'seq'>): Promise<ScrollbackEntry>
  /** Of one agent, oldest first. */
  list(agentId: AgentId): Promise<ScrollbackEntry[]>
}

/** What came of an agent that ended. Written once for each of its lives. */
export interface RunResult {
  readonly status: 'completed' | 'failed' | 'killed'
  readonly summary: string
  readonly output: string
  /** Paths relative to the worktree, sorted. */
  readonly filesModified: readonly string[]
  readonly elapsedMs: number
  /** Rounds of the model; 0 where there was none. */
  readonly turns: number
  /** Why its turn ended, in the words of the Agent Client Protocol; null where nothing said so. */
  readonly reason: string | null
}

/** What a session or process without a terminal was started with, and what came of it; of other agents only the latter. */
export interface Run {
  readonly agentId: AgentId
  /** Its worktree as it was at the start, with all that was uncommitted; null where git could not tell. */
  readonly startTree: Sha | null
  /** Of a process. */
  readonly command: string | null
  /** In its agent’s own words, where one was asked for. */
  readonly model: string | null
  /** When it fails for having taken too long; null for never. */
  readonly deadline: number | null
  readonly result: RunResult | null
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
}

export interface StoreTransaction extends StoreVerbs {
  /** Runs once the transaction is durable; never when it rolls back. */
  afterCommit(callback: () => void): void
}

export interface Store extends StoreVerbs {
  /** One immediate write transaction. Use only `tx` inside: the outer verbs would wait for it for ever. */
  transaction<T>(work: (tx: StoreTransaction) => Promise<T>): Promise<T>
  /** Calls back when mail, death or idling is signalled on `agent_event_<id>`; answers how to stop. */
  subscribe(agentId: AgentId, listener: () => void): () => void
  /** Wakes the subscribers of `agent_event_<id>`. */
  signal(agentId: AgentId): Promise<void>
  /** A copy of all that is committed, made while it is in use; returns where it is. */
  backUp(folder: string): Promise<string>
  close(): Promise<void>
}
