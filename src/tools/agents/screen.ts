import { z } from 'zod'
import { defineTool } from '../define.ts'

export const screen = defineTool({
  name: 'screen',
  description:
    'The text in an agent’s pane, or its transcript where the pane is gone; of one without a terminal what it wrote.',
  audience: ['human'],
  effect: 'reads',
  listed: false,
  input: z.object({
    agent: z.string().min(1),
    lines: z.number().int().min(0).max(100_000).default(1000).describe('Of scrollback'),
  }),
  output: z.object({ agent_id: z.string(), text: z.string(), live: z.boolean() }),
  handler: ({ core }, input) => core.control.screen(input.agent, input.lines),
})
