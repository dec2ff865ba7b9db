import type { PullRequestSnapshot } from '../../adapters/forge/forge.ts'
import type { Config } from '../../config/schema.ts'
import type { AgentId } from '../../domain/ids.ts'
import type { Agent, Outcome } from '../../domain/records.ts'
import type { NodeDocument, TreeNode } from '../agents/tree-document.ts'
import { type Landing, landingView } from '../fold/view.ts'
import { scheduledView } from '../pulls/scheduled-view.ts'
import { costOf } from '../usage/budgets.ts'
import type { Wait } from './waits.ts'

/** All that an agent’s document is made of, beside the time. */
export interface NodeFacts {
  readonly agent: Agent
  /** Of its branch. */
  readonly pull: PullRequestSnapshot | null
  readonly landing: Landing | null
  readonly prices: Config['prices']
  readonly short: string
  readonly undelivered: number
  readonly undecided: number
  readonly unread: number
  readonly openQuestions: number
  readonly items: number
  readonly turn: AgentId | 'human' | null
  readonly waitingFor: readonly AgentId[] | null
  readonly waits: readonly Wait[]
  readonly conflicts: readonly string[]
}

/** Pure. `now`: milliseconds since the epoch, of which ages are told. */
export function nodeDocument(facts: NodeFacts, now: number): NodeDocument {
  const { agent, waitingFor } = facts
  return {
    id: agent.id,
    name: agent.name,
    short: facts.short,
    kind: agent.kind,
    runtime: agent.runtime,
    role: agent.role,
    agent: agent.agentCli,
    branch: agent.branch,
    base_branch: agent.baseBranch,
    worktree: agent.worktree,
    state: agent.state,
    state_reason: agent.stateReason,
    state_source: agent.stateSource,
    state_age_seconds: seconds(now - agent.stateAt),
    depth: agent.depth,
    parent_id: agent.parentId,
    pane: agent.paneId,
    pid: agent.pid,
    pr: facts.pull === null ? null : pullView(facts.pull, facts.landing, now),
    tokens: agent.tokens,
    ...spent(agent, facts.prices),
    tool_calls: agent.toolCalls,
    age_seconds: seconds(now - agent.spawnedAt),
    undelivered: facts.undelivered,
    undecided: facts.undecided,
    unread: facts.unread,
    waiting_for: waitingFor === null ? null : [...waitingFor],
    open_questions: facts.openQuestions,
    waits: facts.waits.map(({ what, since }) => ({
      ...{ what, since: new Date(since).toISOString() },
      age_seconds: seconds(now - since),
    })),
    items: facts.items,
    outcome: agent.outcome === null ? null : withoutTime(agent.outcome),
    turn: facts.turn,
    task: agent.kind === 'process' ? '' : firstWords(agent.task),
    conflicts: [...facts.conflicts],
    command: agent.kind === 'process' ? agent.task : null,
    exit_code: agent.exitCode,
    exit_signal: agent.exitSignal,
  }
}

export const pullView = (
  pull: PullRequestSnapshot,
  landing: Landing | null,
  now: number,
): NonNullable<TreeNode['pr']> => ({
  number: pull.number,
  url: pull.url,
  state: pull.state,
  draft: pull.draft,
  checks: pull.checksState,
  review: pull.reviewDecision,
  mergeable: pull.mergeable,
  landing: landing === null ? null : landingView(landing, now),
  scheduled: scheduledView(pull),
})

/** Characters of a task that a row could show. */
const TASK = 160
const firstWords = (task: string): string =>
  task
    .slice(0, 4 * TASK)
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, TASK)

const withoutTime = ({ at: _at, ...outcome }: Outcome): Outcome => outcome

export const seconds = (milliseconds: number): number =>
  Math.max(0, Math.round(milliseconds / 1000))

function spent(
  { usage }: Agent,
  prices: Config['prices'],
): Pick<TreeNode, 'usage' | 'cost_usd' | 'unpriced_models'> {
  if (usage === null) return { usage: null, cost_usd: null, unpriced_models: [] }
  const { usd, unpriced } = costOf(usage, prices)
  const models = Object.entries(usage.models)
  return {
    usage: Object.fromEntries(
      models.map(([model, { input, output, cacheRead, cacheWrite }]) => [
        model,
        { input, output, cache_read: cacheRead, cache_write: cacheWrite },
      ]),
    ),
    cost_usd: models.length > unpriced.length ? usd : null,
    unpriced_models: [...unpriced],
  }
}
