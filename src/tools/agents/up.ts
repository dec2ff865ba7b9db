import { z } from 'zod'
import { defineTool } from '../define.ts'

export const up = defineTool({
  name: 'up',
  description: 'Launches the root’s agent with a task, in a pane; with runtime "acp" without one.',
  audience: ['human'],
  listed: false,
  input: z.object({
    task: z.string().optional().describe('What the whole tree is to do'),
    agent: z
      .string()
      .optional()
      .describe(
        'Another program than the tl role’s: an [agents.NAME], or acp:NAME of an [acp.NAME]',
      ),
  }),
  output: z.object({
    agent_id: z.string(),
    pane: z.string(),
    already: z.boolean(),
    warnings: z.array(z.string()),
  }),
  command: {
    name: 'up',
    summary: 'Open the session and launch the root’s agent',
    fields: { task: '[task...]', agent: '-a, --agent <program>' },
    examples: ['exomonad up "Build the shop of docs/plan.md"', 'exomonad up - <docs/plan.md'],
  },
  handler: ({ core }, input) => core.control.up(input.task, input.agent),
})
