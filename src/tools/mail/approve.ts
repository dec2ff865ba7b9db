import { z } from 'zod'
import { defineTool } from '../define.ts'

export const approve = defineTool({
  name: 'approve',
  description: 'Approves what waits for the human, such as a spawn beyond limits.approval_depth.',
  audience: ['human'],
  listed: false,
  input: z.object({ approval_id: z.string().min(1), reason: z.string().optional() }),
  output: z.object({ approval_id: z.string(), decision: z.string() }),
  handler: ({ core }, input) => core.messages.decide(input.approval_id, 'approved', input.reason),
})
