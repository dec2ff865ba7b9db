import { z } from 'zod'
import { defineTool } from '../define.ts'

const status = z.object({
  agent_id: z.string(),
  name: z.string(),
  kind: z.string(),
  parent_id: z.string().nullable().describe('Null for children of the root'),
  depth: z.number().int(),
  status: z.enum(['running', 'completed', 'failed', 'killed']),
  spawned_at: z.string().describe('ISO 8601'),
  completed_at: z.string().nullable().describe('When it reported what came of its task, or ended'),
  tool_calls: z.number().int(),
  tokens: z.number().int(),
  waits: z
    .array(z.object({ what: z.string(), since: z.string().describe('ISO 8601') }))
    .describe(
      'What it waits for while it does not work: a background task or a wake-up of its own, an answer, checks, a review, its children',
    ),
})

export const agentStatus = defineTool({
  name: 'agent_status',
  description:
    'See whether an agent, a session or a background task runs, is completed, failed or was killed; without an id all of them. Use it to find ids and to look once; never to wait by asking again, since you are notified when one ends.',
  audience: ['tl', 'dev', 'human'],
  effect: 'reads',
  listed: true,
  input: z.object({
    agent_id: z.string().min(1).optional().describe('Id, branch or name; default: all'),
  }),
  output: z.union([status, z.object({ agents: z.array(status) }).describe('Without an id')]),
  command: {
    name: 'status',
    summary: 'How agents, sessions and processes stand',
    fields: { agent_id: '[agent]' },
    examples: ['exomonad status', 'exomonad status auth'],
  },
  handler: ({ core, caller }, { agent_id: address }) => core.sessions.status(caller, address),
})
