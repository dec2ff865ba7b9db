import { z } from 'zod'
import { defineTool } from '../define.ts'
import { PULL } from '../shapes.ts'

export const prDiff = defineTool({
  name: 'pr_diff',
  description:
    'The unified diff of a pull request, from the merge base with its base branch to its head. Read it before you review or merge.',
  audience: ['tl', 'human'],
  effect: 'reads',
  listed: true,
  input: z.object({ pr_number: z.number().int().positive() }),
  output: z.object({
    number: z.number().int(),
    head_sha: z.string().describe('What the diff is of; give it to pr_review and merge_pr'),
    diff: z.string(),
  }),
  command: {
    name: 'pr diff',
    summary: 'Print a pull request’s diff',
    fields: { pr_number: PULL },
    examples: ['exomonad pr diff auth | less'],
  },
  handler: ({ core, caller }, input) => core.pulls.diff(caller, input.pr_number),
})
