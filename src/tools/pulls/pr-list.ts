import { z } from 'zod'
import { defineTool } from '../define.ts'
import { pullSummary } from '../shapes.ts'

export const prList = defineTool({
  name: 'pr_list',
  description: 'Lists the pull requests of the tree with their checks and reviews.',
  audience: ['tl', 'dev', 'human'],
  effect: 'reads',
  listed: false,
  input: z.object({ state: z.enum(['open', 'merged', 'closed', 'all']).default('open') }),
  output: z.object({ pull_requests: z.array(pullSummary) }),
  command: {
    name: 'pr list',
    summary: 'List pull requests',
    fields: { state: '-s, --state <state>  Which' },
    examples: ['exomonad pr list', 'exomonad pr list --state all'],
  },
  handler: ({ core }, input) => core.pulls.list(input),
})
