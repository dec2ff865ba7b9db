import { z } from 'zod'
import type { AgentId } from '../domain/ids.ts'
import type { Tells } from './define.ts'
import { words } from './words.ts'

/** What several events share: what they carry, who is notified, their keys and words. */

export const pull = {
  number: z.number().int(),
  title: z.string(),
  url: z.string(),
  head: z.string(),
  base: z.string(),
}
/** A pull request that another one’s event names. */
export const other = z.strictObject({ number: z.number().int(), title: z.string() })
export const comment = z.strictObject({
  path: z.string(),
  line: z.number().nullable(),
  /** First line of a range; null where it is about one line, missing in events of before. */
  start_line: z.number().nullable().optional(),
  /** `left`: its lines are of the old version; missing in events of before. */
  side: z.enum(['left', 'right']).optional(),
  body: z.string(),
  author: z.string(),
})
export const failedJob = z.strictObject({
  name: z.string(),
  url: z.string().nullable(),
  log: z.string(),
})
/**
 * `scope`: the agent alone, or with all below it. `money` is in USD. The configuration key is
 * `limits.KIND_per_SCOPE`.
 */
export const budget = {
  name: z.string(),
  scope: z.enum(['agent', 'subtree']),
  kind: z.enum(['tokens', 'tool_calls', 'money']),
  used: z.number(),
  limit: z.number(),
}
type Budget = z.output<z.ZodObject<typeof budget>>

/** Once for each threshold and value of the limit, so that a raised one is reported anew. */
export const budgetKey =
  (level: 'warning' | 'exhausted') =>
  ({ kind, scope, limit }: Budget, agentId: AgentId | null): string =>
    `budget:${level}:${agentId}:${kind}:${scope}:${limit}`

/** How much of it is used, as part of a line. */
export function budgetUse({ used, limit, kind, scope }: Partial<Budget>): string {
  const amount = (value?: number): string =>
    kind === 'money' ? `$${Number(value).toFixed(2)}` : words`${value}`
  return words`${amount(used)} of ${amount(limit)} ${kind?.replace('_', ' ')} per ${scope}`
}

/**
 * Words of people without write access reach no agent that acts on them: its parent is notified
 * that they exist.
 */
export const commentTargets = ({ trusted }: { readonly trusted: boolean }): Tells =>
  trusted ? { owner: 'wake' } : { parent: 'carry' }
