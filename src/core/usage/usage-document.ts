/** What was used, in tokens and money. */
export interface UsageAmount {
  /** Of every kind. */
  tokens: number
  input: number
  output: number
  cache_read: number
  cache_write: number
  /**
   * What that costs by the configured prices, without the models that have none; null where none
   * has one.
   */
  cost_usd: number | null
  unpriced_models: string[]
}

export type UsageGrouping = 'model' | 'agent' | 'subtree'

export interface UsageView {
  /** Beginning of the first and end of the last step, milliseconds since the epoch. */
  since: number
  until: number
  step_seconds: number
  by: UsageGrouping
  total: UsageAmount
  /**
   * What most was used for first. `key`: a model, or an agent’s id; of subtrees that of their top,
   * and of the agent above them for what it used itself.
   */
  groups: (UsageAmount & { key: string; name: string })[]
  /** Steps in which something was used, in order. */
  steps: { start: number; parts: { key: string; tokens: number; cost_usd: number | null }[] }[]
  /**
   * Tokens of these agents of which no hour is known: used before hours were kept, or forgotten
   * since. Null where a time was asked for.
   */
  undated_tokens: number | null
  /** Of the agent on top and its children all, of others those that are nearly used up. */
  budgets: {
    agent_id: string
    name: string
    scope: 'agent' | 'subtree'
    kind: 'tokens' | 'tool_calls' | 'money'
    used: number
    limit: number
    level: 'fine' | 'warning' | 'exhausted'
  }[]
}

export interface UsageQuery {
  /** Milliseconds since the epoch; without, all there is. */
  readonly since?: number | undefined
  readonly until?: number | undefined
  /** Only this agent and all below it: an address. */
  readonly under?: string | undefined
  readonly by: UsageGrouping
  readonly step: 'hour' | 'day'
}
