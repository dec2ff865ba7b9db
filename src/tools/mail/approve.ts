import { z } from 'zod'
import { defineTool } from '../define.ts'

export const approve = defineTool({
  name: 'approve',
  description: 'Approves what waits for the human, such as a spawn beyond limits.approval_depth.',
  audience: ['human'],
  listed: false,
  input: z.object({
    approval_id: z.string().min(1).describe('Its id, from `exomonad inbox`'),
    reason: z.string().optional().describe('Why; the agent gets it'),
  }),
  output: z.object({ approval_id: z.string(), decision: z.string() }),
  command: {
    name: 'approve',
    summary: 'Approve what waits for you',
    fields: { approval_id: '<approval>', reason: '-r, --reason <text>' },
    examples: [
      'exomonad approve a-0123456789ab',
      'exomonad approve a-0123456789ab --reason "It is worth it"',
    ],
  },
  handler: ({ core }, input) => core.messages.decide(input.approval_id, 'approved', input.reason),
})
