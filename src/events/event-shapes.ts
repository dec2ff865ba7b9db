import { z } from 'zod'

/** What several events (event.ts) carry. */

export const pull = {
  number: z.number().int(),
  title: z.string(),
  url: z.string(),
  head: z.string(),
  base: z.string(),
}
/** A pull request that another one is told of. */
export const other = z.strictObject({ number: z.number().int(), title: z.string() })
export const comment = z.strictObject({
  path: z.string(),
  line: z.number().nullable(),
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
export const define = <Shape extends z.ZodRawShape>(summary: string, shape: Shape) => ({
  summary,
  payload: z.strictObject(shape),
})
