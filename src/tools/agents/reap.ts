import { z } from 'zod'
import { defineTool } from '../define.ts'

export const reap = defineTool({
  name: 'reap',
  description:
    'Takes all ended agents out of sight; their worktrees, branches, pull requests, records and transcripts stay.',
  audience: ['human'],
  forAnyAgent: true,
  listed: false,
  input: z.object({}),
  output: z.object({
    reaped: z.array(z.string()),
    next: z.string().describe('The first living agent'),
  }),
  command: {
    name: 'reap',
    summary: 'Take ended agents out of sight; their work stays',
    examples: ['exomonad reap'],
  },
  handler: ({ core }) => core.maintenance.reap(),
})
