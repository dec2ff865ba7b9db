import { z } from 'zod'
import { defineTool } from '../define.ts'
import { PULL } from '../shapes.ts'

export const prCommits = defineTool({
  name: 'pr_commits',
  description:
    'The commits of a pull request, oldest first; of a merged one those that it brought.',
  audience: ['tl', 'dev', 'human'],
  effect: 'reads',
  listed: false,
  input: z.object({ pr_number: z.number().int().positive() }),
  output: z.object({
    number: z.number().int(),
    commits: z.array(
      z.object({
        sha: z.string(),
        title: z.string().describe('First line of its message'),
        author: z.string(),
        at: z.number().describe('Milliseconds since the epoch'),
      }),
    ),
  }),
  command: {
    name: 'pr commits',
    summary: 'List the commits of a pull request',
    fields: { pr_number: PULL },
    examples: ['exomonad pr commits auth'],
  },
  handler: ({ core, caller }, input) => core.pulls.commits(caller, input.pr_number),
})
