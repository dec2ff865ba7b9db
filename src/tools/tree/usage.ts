import { z } from 'zod'
import { defineTool } from '../define.ts'

const amount = {
  tokens: z.number().int().describe('Of every kind'),
  input: z.number().int(),
  output: z.number().int(),
  cache_read: z.number().int(),
  cache_write: z.number().int(),
  cost_usd: z.number().nullable().describe('By [prices]; null where no model of it has one'),
  unpriced_models: z.array(z.string()),
}

export const usage = defineTool({
  name: 'usage',
  description:
    'Tokens and money over time, hour by hour: by model, by agent, or by the subtrees below one agent; and the budgets that hold. Costs are by the prices of now.',
  audience: ['human'],
  effect: 'reads',
  listed: false,
  input: z.object({
    by: z
      .enum(['model', 'agent', 'subtree'])
      .default('subtree')
      .describe('What it is split into; subtree: the children of the top, each with all below it'),
    under: z
      .string()
      .min(1)
      .optional()
      .describe('Only this agent and all below it; default: the whole tree'),
    hours: z.number().int().min(1).optional().describe('Only the last so many hours'),
    since: z.number().int().min(0).optional().describe('Milliseconds since the epoch'),
    until: z.number().int().min(0).optional().describe('Milliseconds since the epoch'),
    step: z.enum(['hour', 'day']).default('hour').describe('Length of a step; days are of UTC'),
  }),
  output: z.object({
    since: z.number(),
    until: z.number(),
    step_seconds: z.number().int(),
    by: z.enum(['model', 'agent', 'subtree']),
    total: z.object(amount),
    groups: z
      .array(z.object({ key: z.string(), name: z.string(), ...amount }))
      .describe('The most first; key: a model, or an agent’s id'),
    steps: z
      .array(
        z.object({
          start: z.number(),
          parts: z.array(
            z.object({
              key: z.string(),
              tokens: z.number().int(),
              cost_usd: z.number().nullable(),
            }),
          ),
        }),
      )
      .describe('Those in which something was used, in order'),
    undated_tokens: z
      .number()
      .int()
      .nullable()
      .describe('Of which no hour is known; null where a time was asked for'),
    budgets: z
      .array(
        z.object({
          agent_id: z.string(),
          name: z.string(),
          scope: z.enum(['agent', 'subtree']),
          kind: z.enum(['tokens', 'tool_calls', 'money']),
          used: z.number(),
          limit: z.number(),
          level: z.enum(['fine', 'warning', 'exhausted']),
        }),
      )
      .describe('Of the top and its children all, of others those that are nearly used up'),
  }),
  command: {
    name: 'usage',
    summary: 'Tokens and money by subtree, agent or model',
    fields: {
      by: '--by <part>',
      under: '-u, --under <agent>',
      hours: '--hours <count>',
    },
    examples: ['exomonad usage', 'exomonad usage --by model --hours 24'],
  },
  handler: ({ core }, { hours, since, ...query }) =>
    core.view.usage({
      ...query,
      since: hours === undefined ? since : Date.now() - hours * 3_600_000,
    }),
})
