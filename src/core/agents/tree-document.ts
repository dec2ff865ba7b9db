import type { ForgeKind } from '../../domain/forge-kinds.ts'
import type { AgentId } from '../../domain/ids.ts'
import type { StateFilter, TreeSort } from '../../domain/tree-filters.ts'
import type { AgentMail } from '../mail/agent-mail.ts'
import type { AgentDiff } from '../tree/agent-diff.ts'
import type { UsageQuery, UsageView } from '../usage/usage-document.ts'
import type { LandingView } from '../fold/view.ts'
import type { ScheduledView } from '../pulls/pull-documents.ts'

export interface TreeNode {
  id: AgentId
  name: string
  /** The shortest address that means it alone: its name, or as much of the end of its branch. */
  short: string
  kind: string
  runtime: string
  role: string
  agent: string | null
  branch: string
  base_branch: string | null
  worktree: string
  state: string
  state_reason: string | null
  state_source: string
  state_age_seconds: number
  depth: number
  parent_id: AgentId | null
  pane: string | null
  pid: number | null
  pr: {
    number: number
    url: string
    state: string
    draft: boolean
    checks: string
    review: string
    mergeable: string
    landing: LandingView | null
    scheduled: ScheduledView | null
  } | null
  tokens: number
  /** Tokens by model; null where its program doesn’t report it. */
  usage: Record<
    string,
    { input: number; output: number; cache_read: number; cache_write: number }
  > | null
  /**
   * What that costs by the configured prices, without the models that have none; null where none
   * has one.
   */
  cost_usd: number | null
  unpriced_models: string[]
  tool_calls: number
  age_seconds: number
  undelivered: number
  undecided: number
  /** Mail from other agents that it has not taken yet. */
  unread: number
  /** Agents for which a wait of its own is open now; null for none. */
  waiting_for: AgentId[] | null
  open_questions: number
  /** What it waits for by itself or of others, the oldest first; empty while it works. */
  waits: { what: string; since: string; age_seconds: number }[]
  /** Items of the human’s inbox that are about it. */
  items: number
  outcome: { success: boolean; summary?: string; error?: string; partial?: string } | null
  /**
   * Who has to act for it to go on, or for its work to land; null where that is nobody else. The
   * human exactly where `items` says so.
   */
  turn: AgentId | 'human' | null
  /** First words of what it was given to do, on one line; empty where it has no task. */
  task: string
  /**
   * With whose work its own would conflict, as the radar told: siblings by name, its base by branch.
   */
  conflicts: string[]
  /** What a process runs; null for all else. */
  command: string | null
  /** How its program ended: one of the two, as far as it is known. */
  exit_code: number | null
  exit_signal: string | null
  /** False for those above a match of what was asked for. */
  matches: boolean
  /** Agents below it that are left out for the depth that was asked for. */
  hidden: number
  children: TreeNode[]
}
export interface ForgeView {
  kind: ForgeKind
  /** What is left of its limits, as it last said; null where it has none. Times are ISO 8601. */
  budget: {
    points: { limit: number; remaining: number; reset_at: string } | null
    requests: { limit: number; remaining: number; reset_at: string } | null
    blocked_until: string | null
    slowdown: number
  } | null
  /** It can’t be used, since then. */
  trouble: { since: string; code: string; reason: string; retry_at: string | null } | null
}
export interface TreeView {
  repository: string
  root: TreeNode
  counts: { agents: number; live: number; done: number; failed: number }
  inbox: {
    /** Unread, announcements of items among them. */
    messages: number
    questions: number
    approvals: number
    /** What needs the human, as the inbox lists it. */
    items: number
    /** Unread messages that announce no item. */
    news: number
  }
  forge: ForgeView
  /**
   * Spawns and merges that were begun and not finished: under way, or cut off and not settled yet.
   */
  unfinished: { kind: string; step: string; age_seconds: number; facts: Record<string, unknown> }[]
}

/** A node without what depends on which part of the tree is asked for. */
export type NodeDocument = Omit<TreeNode, 'matches' | 'hidden' | 'children'>

export interface ChangedNode extends NodeDocument {
  /** Below which node it is shown: its parent, or the next above it that is in sight. */
  under: AgentId | null
  /** Those below one node stand in ascending order. */
  order: number
  /** When its ages were true, milliseconds since the epoch. */
  at: number
}

export interface TreeChanges extends Pick<
  TreeView,
  'repository' | 'counts' | 'inbox' | 'forge' | 'unfinished'
> {
  /** For the next read. */
  revision: string
  /**
   * `nodes` are all there are, and no others: nothing was said of what the client has, or it is of
   * another daemon.
   */
  complete: boolean
  /** Those that are another than at the revision that was given. */
  nodes: ChangedNode[]
  /** Those that are not there any more. */
  removed: AgentId[]
  /** When it was read, milliseconds since the epoch. */
  at: number
}

/** What of the tree is wanted; all of it without. Criteria go together. */
export interface TreeQuery {
  /** One of these. */
  readonly states?: readonly StateFilter[] | undefined
  /** Only those that wait for this one. */
  readonly turn?: AgentId | 'human' | undefined
  /** Only this agent and those below it. */
  readonly under?: AgentId | undefined
  /** Part of its name, branch, task or command; in small letters or capitals. */
  readonly text?: string | undefined
  readonly sort?: TreeSort | undefined
  /** Generations below the one that is shown first. */
  readonly depth?: number | undefined
}

/** The same with an address in the place of an id. */
export type TreeWish = Omit<TreeQuery, 'under'> & { readonly under?: string | undefined }

export interface View {
  /**
   * One read of the store; nothing is asked of git, panes or forge. `under` is an address:
   * AGENT_NOT_FOUND, AMBIGUOUS_ID. Counts are of all agents, whatever is wanted.
   */
  tree(wanted?: TreeWish): Promise<TreeView>
  /** The same as flat nodes: those that changed since that revision, which an earlier answer had. */
  changes(since?: string): Promise<TreeChanges>
  /** What was used over time. AGENT_NOT_FOUND, AMBIGUOUS_ID. */
  usage(query: UsageQuery): Promise<UsageView>
  /** What it changed against its base, committed or not. NOT_AVAILABLE where nothing is left. */
  diff(address: string): Promise<AgentDiff>
  /** What was sent to it, and what became of that; takes nothing. */
  mail(address: string, page: { limit: number; before?: string | undefined }): Promise<AgentMail>
  /** As little as a shell’s prompt shows: how many agents work, and how many items need the human. */
  attention(): Promise<{ working: number; items: number }>
}
