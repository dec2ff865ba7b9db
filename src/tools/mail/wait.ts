import { z } from 'zod'
import { defineTool } from '../define.ts'

export const wait = defineTool({
  name: 'wait',
  description:
    'Wait for mail: without from_agents for the next message of anyone, with it until each of these has answered, idles or is dead; what it returns is taken out of your mailbox. Use it once you can’t go on without a result, such as those of agents that you forked; a timeout of 0 takes what is there without waiting. For all else end your turn instead: you are notified of mail, and of pull requests to merge.',
  audience: ['tl', 'dev', 'human'],
  listed: true,
  input: z.object({
    timeout: z.number().min(0).max(86_400).describe('Seconds; 0 does not wait'),
    from_agents: z
      .array(z.string().min(1))
      .optional()
      .describe('Ids, branches or names of those to wait for, all of them'),
  }),
  output: z.union([
    z.object({ from: z.string(), name: z.string(), message: z.string() }),
    z.object({ status: z.literal('timeout') }),
    z.object({
      results: z.array(
        z.object({
          agent_id: z.string(),
          name: z.string(),
          status: z.enum(['received', 'running', 'idle', 'dead']),
          message: z.string().optional(),
        }),
      ),
    }),
  ]),
  handler: ({ core, caller, signal, progress, consumed }, { timeout, from_agents: from }) =>
    core.waiting.wait(caller, { timeout, from }, { signal, progress, receipt: consumed }),
})
