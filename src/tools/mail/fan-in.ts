import { z } from 'zod'
import { defineTool } from '../define.ts'

export const fanIn = defineTool({
  name: 'fan_in',
  description:
    'Show how a wait for these agents stands now, and what each has used; nothing is taken out of the mailbox. Use it to follow a wait that is open; to have the messages, call wait.',
  audience: ['tl', 'dev', 'human'],
  effect: 'reads',
  listed: false,
  input: z.object({ from_agents: z.array(z.string().min(1)).describe('Ids, branches or names') }),
  output: z.object({
    results: z.array(
      z.object({
        agent_id: z.string(),
        name: z.string(),
        status: z.enum(['received', 'running', 'idle', 'dead']),
        tool_calls: z.number(),
        tokens: z.number(),
      }),
    ),
  }),
  handler: ({ core, caller }, input) => core.waiting.standing(caller, input.from_agents),
})
