import type {
  Actor,
  AgentId,
  BranchName,
  DeliveryId,
  PaneId,
  QuestionId,
  Recipient,
  Sha,
} from './ids.ts'

/**
 * What is on record of agents and of what passes between them. Times are milliseconds since the
 * epoch.
 */

export type AgentKind =
  | 'root'
  | 'subtree'
  | 'worker'
  | 'fork'
  | 'llm'
  | 'process'
  | 'delegate'
  | 'spawn'

export type AgentRuntime = 'pane' | 'headless' | 'acp'

/** `unknown`: its program lives, and what it does can’t be determined. */
export type AgentState =
  | 'spawning'
  | 'running'
  | 'idle'
  | 'waiting'
  | 'unknown'
  | 'completed'
  | 'failed'
  | 'killed'

/**
 * What a state was concluded from. `session`: the program’s own status file or interface; `screen`:
 * its terminal.
 */
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
  readonly models: Readonly<
    Record<
      string,
      {
        readonly input: number
        readonly output: number
        readonly cacheRead: number
        readonly cacheWrite: number
      }
    >
  >
}

/** What an agent used of one model in one hour; tokens. */
export interface UsageHour {
  readonly agentId: AgentId
  /** Its beginning, milliseconds since the epoch. */
  readonly hour: number
  readonly model: string
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
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
  /** The same by model, where its adapter reports it; null where it doesn’t. */
  readonly usage: Usage | null
  readonly toolCalls: number
  /** Objection of the stop check that holds it, and how often in a row. */
  readonly stopBlocker: string | null
  readonly stopBlocks: number
  /**
   * Reason given with `note --stop-reason`: skips the commit and rebase objections until the next
   * commit.
   */
  readonly stopReason: string | null
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

/** What a row says of where its delivery is; its other columns say the rest (delivery-state.ts). */
export type DeliveryStatus = 'queued' | 'sent' | 'acked' | 'failed' | 'undecided' | 'withdrawn'

/** `channel`: a way of the program’s own, beside its terminal. */
export type Lane = 'tool' | 'hook' | 'channel' | 'acp' | 'pane' | 'inbox'

/**
 * How a message reaches its recipient. `wake`: handed over as soon as it can be, which begins a turn
 * of an agent at rest. `carry`: along with the next thing that reaches it. `log`: not at all; it is
 * kept for the log, withdrawn from the start, with why.
 */
export type Reach = 'wake' | 'carry' | 'log'

export interface Delivery {
  readonly id: DeliveryId
  readonly recipient: Recipient
  readonly eventSeq: number | null
  /** The event type, or `message`, `mail`. */
  readonly kind: string
  /** What it is about, where that can change before it is delivered: the URL of a pull request. */
  readonly subject: string | null
  readonly reach: Reach
  /** Rendered and escaped, ready to be read by a model. */
  readonly text: string
  readonly state: DeliveryStatus
  readonly lane: Lane | null
  /** Deliveries handed over together share it. */
  readonly batch: string | null
  readonly attempts: number
  readonly createdAt: number
  readonly nextAttemptAt: number
  /** When a lane claimed it to hand it over. */
  readonly claimedAt: number | null
  readonly handedAt: number | null
  readonly settledAt: number | null
  readonly why: string | null
}

export type NewDelivery = Pick<
  Delivery,
  'id' | 'recipient' | 'eventSeq' | 'kind' | 'text' | 'createdAt'
> &
  Partial<Pick<Delivery, 'subject' | 'reach'>>

export interface Mail {
  readonly id: string
  readonly from: AgentId
  readonly to: AgentId
  readonly message: string
  readonly sentAt: number
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

export interface JournalEntry {
  readonly id: string
  readonly kind: string
  readonly step: string
  readonly data: Record<string, unknown>
  readonly state: 'open' | 'done' | 'undone'
  readonly startedAt: number
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

/**
 * What is shown in an agent’s scrollback beside the text of its terminal, and never reaches it.
 * `capture` is a line that a person wrote for a child to be; the others of that name say when the
 * capture was begun, given up, or became a child. `wait` is the result of a person’s wait.
 */
export type ScrollbackKind =
  | 'capture-begin'
  | 'capture'
  | 'capture-cancel'
  | 'capture-fork'
  | 'wait'

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

/**
 * What a session or process without a terminal was started with, and what came of it; of other
 * agents only the latter.
 */
export interface Run {
  readonly agentId: AgentId
  /**
   * Its worktree as it was at the start, with all that was uncommitted; null where git could not
   * determine it.
   */
  readonly startTree: Sha | null
  /** Of a process. */
  readonly command: string | null
  /** In its agent’s own words, where one was asked for. */
  readonly model: string | null
  /** When it fails for having taken too long; null for never. */
  readonly deadline: number | null
  readonly result: RunResult | null
}
