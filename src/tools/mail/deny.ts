import { z } from 'zod'
import { defineTool } from '../define.ts'

export const deny = defineTool({
  name: 'deny',
  description: 'Refuses what waits for the human, such as a spawn beyond limits.approval_depth.',
  audience: ['human'],
  listed: false,
  input: z.object({
    approval_id: z.string().min(1).describe('Its id, from `exomonad inbox`'),
    reason: z.string().optional().describe('Why; the agent gets it'),
  }),
  output: z.object({ approval_id: z.string(), decision: z.string() }),
  command: {
    name: 'deny',
    summary: 'Refuse what waits for you',
    fields: { approval_id: '<approval>', reason: '-r, --reason <text>' },
    examples: [
      'exomonad deny a-0123456789ab',
      'exomonad deny a-0123456789ab --reason "Too deep; do it yourself"',
    ],
  },
  handler: ({ core }, input) => core.messages.decide(input.approval_id, 'denied', input.reason),
})
