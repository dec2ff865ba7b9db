import type { TreeNode } from '../../../core/agents/tree-document.ts'
import type { WireEvent } from '../../client.ts'
import { waitedForPerson, WAIT_TYPES } from './waited.ts'

/** Events that a summary is made of. */
export const SUMMARY_TYPES: readonly string[] = [...WAIT_TYPES, 'pr.merged', 'spawn.failed']

/** What came of a stretch of time. */
export interface LogSummary {
  /** Numbers of pull requests, in the order of their merges. */
  merged: number[]
  /** Names of agents that failed or gave up, and of spawns that failed. */
  failed: string[]
  waited_for_you: {
    /** In sum over all agents. */
    seconds: number
    count: number
    /** How many go on. */
    open: number
  }
  spent: {
    /** Agents that were started in this time: what they used is known. */
    agents: number
    tokens: number
    /** By the configured prices; null where no model has one. */
    cost_usd: number | null
    unpriced_models: string[]
    /** Agents from before that were at work in it, too: how much of theirs belongs to it is not known. */
    others: number
  }
}

/** `events`: of SUMMARY_TYPES, oldest first, from some time before `since` on. */
export function summarize(
  events: readonly WireEvent[],
  nodes: readonly TreeNode[],
  { since, now }: { readonly since: number; readonly now: number },
): LogSummary {
  const within = events.filter(({ at }) => at >= since)
  const asking = new Set(
    nodes
      .filter(({ turn, open_questions: questions }) => turn === 'human' && questions > 0)
      .map(({ id }) => id as string),
  )
  const { seconds, count, open } = waitedForPerson(events, { since, now, asking })
  return {
    merged: mergedIn(within),
    failed: failedIn(within),
    waited_for_you: { seconds, count, open },
    spent: spentBy(nodes, (now - since) / 1000),
  }
}

function mergedIn(events: readonly WireEvent[]): number[] {
  const merges = events.filter(({ type }) => type === 'pr.merged')
  return [...new Set(merges.map(({ payload }) => Number(payload['number'])))]
}

function failedIn(events: readonly WireEvent[]): string[] {
  const failed = events.filter(({ type }) => type === 'agent.failed' || type === 'spawn.failed')
  const names = new Map(
    failed.map(({ seq, agentId, payload }) => [agentId ?? seq, String(payload['name'])]),
  )
  return [...names.values()]
}

function spentBy(nodes: readonly TreeNode[], seconds: number): LogSummary['spent'] {
  const fresh = nodes.filter(({ kind, age_seconds: age }) => kind !== 'root' && age <= seconds)
  const others = nodes.filter(
    (node) => !fresh.includes(node) && node.tokens > 0 && workedWithin(node, seconds),
  )
  const costs = fresh.flatMap(({ cost_usd: cost }) => (cost === null ? [] : [cost]))
  return {
    agents: fresh.length,
    tokens: fresh.reduce((sum, { tokens }) => sum + tokens, 0),
    cost_usd: costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0),
    unpriced_models: [...new Set(fresh.flatMap(({ unpriced_models: models }) => models))],
    others: others.length,
  }
}

/** What has rested since before used nothing in it. */
const workedWithin = ({ state, state_age_seconds: age }: TreeNode, seconds: number): boolean =>
  state === 'running' || age <= seconds
