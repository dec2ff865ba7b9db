import type { Once, OnceContext } from './once.ts'
import type { Agent } from '../domain/records.ts'
import type { AgentId, BranchName, DeliveryId, QuestionId } from '../domain/ids.ts'
import type { ErrorCode } from '../domain/errors.ts'
import type { MergeStrategy } from '../adapters/forge/merge-results.ts'
import type { Captures, Forking } from './spawn/agent-forks.ts'
import type { Sessions, Subagents } from './sessions/agent-sessions.ts'
import type { Hooks } from './turns/agent-hooks.ts'
import type { Waiting } from './mail/agent-waits.ts'
import type {
  FiledPull,
  MergedPull,
  PullChecks,
  PullDetails,
  PullSummary,
} from './pulls/pull-documents.ts'
import type { TakeReceipt } from './mail/receipt.ts'
import type { ReplyInput } from './pulls/review-replies.ts'
import type { View } from './agents/tree-document.ts'
import type { Caller } from '../domain/caller.ts'
import type { Directory } from './agents/directory.ts'

export type {
  FiledPull,
  MergedPull,
  PullChecks,
  PullDetails,
  PullSummary,
  ScheduledView,
} from './pulls/pull-documents.ts'
export type { ForgeView, TreeNode, TreeView, View } from './agents/tree-document.ts'

/**
 * The use cases, as surfaces and tools see them, made by the factories beside this file. Results
 * are the documents people and models read, hence snake_case.
 */
export interface Core {
  readonly directory: Directory
  readonly spawning: Spawning
  readonly forking: Forking
  readonly control: AgentControl
  readonly pulls: Pulls
  readonly messages: Messages
  readonly waiting: Waiting
  readonly captures: Captures
  readonly sessions: Sessions
  readonly subagents: Subagents
  readonly hooks: Hooks
  readonly maintenance: Maintenance
  readonly once: Once
  readonly view: View
}

export interface SpawnedAgent {
  agent_id: AgentId
  name: string
  branch: string
  worktree: string
  pane: string
  session: 'forked' | 'fresh'
  warnings: string[]
}
export interface SpawnError {
  name: string
  error: string
  code: ErrorCode
}
export interface SpawnSpec {
  readonly kind: 'subtree' | 'worker'
  readonly name: string
  readonly prompt: string
  readonly agent?: string | undefined
  readonly role?: string | undefined
  readonly parentSessionId?: string | undefined
  /** Adopt this existing branch (and its worktree, if it has one). */
  readonly branch?: string | undefined
  /**
   * Number of the forge’s issue that it is to work on: its words are the task, in front of the
   * prompt; an empty name is made of it.
   */
  readonly issue?: number | undefined
  /** The label by which that issue was chosen, where no person did so here. */
  readonly label?: string | undefined
}
export interface SpawnOptions {
  readonly allowDirty?: boolean | undefined
  /** A second agent for an issue that one works on already. */
  readonly again?: boolean | undefined
}
export interface SpawnPlan {
  name: string
  branch: string
  worktree: string
  base: string
  fork_point: string
  agent: string
  argv: string[]
}

export interface Spawning {
  /**
   * Throws where it fails as a whole; one bad spec is an entry in `errors`. `since`: the same was
   * asked for then, and cut off; what came of that is in the result, and only the rest is spawned.
   * Milliseconds since the epoch.
   */
  spawn(
    caller: Caller,
    specs: readonly SpawnSpec[],
    options?: SpawnOptions & { since?: number | null | undefined },
  ): Promise<{ spawned: SpawnedAgent[]; errors: SpawnError[] }>
  /** What spawn would do, nothing done. */
  plan(
    caller: Caller,
    specs: readonly SpawnSpec[],
    options?: SpawnOptions,
  ): Promise<{ planned: SpawnPlan[]; errors: SpawnError[] }>
}

export interface ResumedAgent {
  agent_id: AgentId
  name: string
  pane: string
  session: string
  warnings: string[]
}

export interface AgentControl {
  /** Launches the root’s agent with a task in a pane of its own. `already` where it runs. */
  up(
    task: string | undefined,
    agent: string | undefined,
  ): Promise<{ agent_id: AgentId; pane: string; already: boolean; warnings: string[] }>
  /** Ends all agents’ programs; work, branches and records stay, and `resume` brings them back. */
  down(): Promise<{ stopped: AgentId[] }>
  /**
   * Agents whose program is gone are launched again in their worktree and session. Without an
   * address, all of them.
   */
  resume(address: string | undefined): Promise<{ resumed: ResumedAgent[]; errors: SpawnError[] }>
  /** `why`: in place of who did it. */
  kill(caller: Caller, address: string, why?: string): Promise<{ killed: AgentId[] }>
  /**
   * What a person runs to see the agent’s pane; null where the multiplexer has no such thing
   * (`socket` then serves its stream).
   */
  attach(
    address: string,
    inside?: string,
  ): Promise<{ agent_id: AgentId; multiplexer: string; pane: string; argv: string[] | null }>
  /** Screen and scrollback of the agent’s pane, or its transcript where the pane is gone. */
  screen(
    address: string,
    lines: number,
  ): Promise<{ agent_id: AgentId; text: string; live: boolean }>
}

export interface Pulls {
  /**
   * `since`: the same was asked for then, and cut off; where what it filed was merged meanwhile,
   * that is the result. Milliseconds since the epoch.
   */
  file(
    caller: Caller,
    input: { title: string; body: string; draft: boolean },
    since?: number | null,
  ): Promise<FiledPull>
  /**
   * `head`: what the caller looked at; HEAD_CHANGED where others’ commits came since. A result that
   * nothing has checked is checked first: with `wait` that is waited for (CHECKS_FAILED where it is
   * red), until `signal` says that the caller is gone; it goes on without it. `whenReady`: what may
   * pass with this head is left to the forge to wait for, where it can.
   */
  merge(
    caller: Caller,
    input: {
      number: number
      strategy?: MergeStrategy | undefined
      force: boolean
      head?: string | undefined
      wait?: boolean | undefined
      whenReady?: boolean | undefined
    },
    options?: { signal?: AbortSignal; progress?: (words: string) => void },
  ): Promise<MergedPull>
  review(
    caller: Caller,
    input: {
      number: number
      /** What the caller looked at; HEAD_CHANGED where there is more by now. */
      head?: string | undefined
      /** Left out: a comment, where there are words for one. */
      verdict?: 'approve' | 'request_changes' | 'comment' | undefined
      body: string
      comments: readonly { path: string; line?: number | undefined; body: string }[]
      replies: readonly ReplyInput[]
    },
  ): Promise<{ review_id: string | null; state: string | null; replies: number }>
  list(filter: {
    state?: 'open' | 'merged' | 'closed' | 'all' | undefined
  }): Promise<{ pull_requests: PullSummary[] }>
  /** NOT_ALLOWED, like `diff` and `checks`, for agents where it comes from a fork. */
  show(caller: Caller, number: number): Promise<PullDetails>
  /** The diff and the head that it is of. */
  diff(caller: Caller, number: number): Promise<{ number: number; head_sha: string; diff: string }>
  /**
   * `log` adds the whole log of one; `rerun` first runs them again (not for agents of the role
   * dev).
   */
  checks(
    caller: Caller,
    number: number,
    options: { log?: string | undefined; rerun?: boolean | undefined },
  ): Promise<PullChecks>
}

export interface InboxItem {
  id: DeliveryId
  kind: string
  text: string
  at: number
  question_id: string | null
}

export interface Messages {
  note(
    caller: Caller,
    message: string,
    options?: { stopReason?: boolean | undefined; once?: OnceContext | undefined },
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
  /** From a human: injected with its text. Between agents: mail. */
  /** `raw`: a person’s words reach the program as they are. NOT_ALLOWED for others. */
  send(
    caller: Caller,
    to: string,
    message: string,
    options?: { raw?: boolean | undefined; once?: OnceContext | undefined },
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
   * The human’s mail, open questions and approvals. `clear` marks the mail read, once it is known
   * to have arrived.
   */
  inbox(
    options: { clear: boolean },
    receipt?: TakeReceipt,
  ): Promise<{
    messages: InboxItem[]
    questions: { question_id: QuestionId; agent: string; message: string; asked_at: number }[]
    approvals: { approval_id: string; agent: string; what: string; requested_at: number }[]
  }>
  decide(
    approvalId: string,
    decision: 'approved' | 'denied',
    reason: string | undefined,
  ): Promise<{ approval_id: string; decision: string }>
}

export interface Maintenance {
  /**
   * Takes all dead agents out of sight; worktrees, branches, records and transcripts stay. `next`
   * is the first living agent.
   */
  reap(): Promise<{ reaped: AgentId[]; next: AgentId }>
  /** Compares records with what is true and mends the records. Safe to call at any time. */
  reconcile(): Promise<void>
  /** Finishes or undoes what a crash cut off. Called once, before anything else. */
  recover(): Promise<{ finished: number; undone: number }>
  /**
   * Takes away worktrees and branches that are proven merged; says what it keeps and why. `kill`
   * ends the programs of those that are done.
   */
  clean(options: { dryRun: boolean; kill: boolean }): Promise<{
    removed: { agent: string; branch: string; worktree: string }[]
    kept: { agent: string; branch: string; worktree: string; reason: string }[]
  }>
  /**
   * Has the tree grow from the branch that is checked out in the root’s worktree; `moved` is false
   * where it does.
   */
  moveRoot(): Promise<{
    from: BranchName
    to: BranchName
    worktree: string
    moved: boolean
    warnings: string[]
  }>
  /** Registers the root on the branch of this worktree; `already` where it is. */
  registerRoot(worktree: string): Promise<{ agent: Agent; already: boolean }>
}
