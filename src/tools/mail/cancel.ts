import { z } from 'zod'
import { defineTool } from '../define.ts'

export const cancel = defineTool({
  name: 'cancel',
  description: 'Ends the open capture without a child; its lines stay in the scrollback.',
  audience: ['human'],
  forAnyAgent: true,
  effect: 'ends',
  listed: false,
  input: z.object({}),
  output: z.object({
    agent_id: z.string(),
    lines: z.number().int().describe('That the capture had'),
  }),
  command: {
    name: 'capture cancel',
    summary: 'Give the open capture up; its lines stay in the scrollback',
    examples: ['exomonad capture cancel'],
  },
  handler: ({ core, caller }) => core.captures.cancel(caller),
})
