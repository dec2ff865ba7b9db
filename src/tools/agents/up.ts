import { z } from 'zod'
import { defineTool } from '../define.ts'

export const up = defineTool({
  name: 'up',
  description: 'Launches the root’s agent with a task, in a pane; with runtime "acp" without one.',
  audience: ['human'],
  listed: false,
  input: z.object({
    task: z.string().optional(),
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
  handler: ({ core }, input) => core.control.up(input.task, input.agent),
})
