import { z } from 'zod'
import { defineTool } from '../define.ts'
import { diffPart, partOfDiff, shownDiff } from '../diff-part.ts'
import { PULL } from '../shapes.ts'

export const prDiff = defineTool({
  name: 'pr_diff',
  description:
    'The unified diff of a pull request, from the merge base with its base branch to its head. Read it before you review or merge; look at a large one with `stat` first.',
  audience: ['tl', 'human'],
  effect: 'reads',
  listed: true,
  input: z.object({ pr_number: z.number().int().positive(), ...diffPart }),
  output: z.object({
    number: z.number().int(),
    head_sha: z.string().describe('What the diff is of; give it to pr_review and merge_pr'),
    ...shownDiff,
  }),
  command: {
    name: 'pr diff',
    summary: 'Print a pull request’s diff',
    fields: { pr_number: PULL, stat: '--stat' },
    examples: [
      'exomonad pr diff auth',
      'exomonad pr diff 3 --stat',
      'exomonad pr diff 3 --name-only | grep test',
    ],
  },
  handler: async ({ core, caller }, { pr_number: number, ...part }) => {
    const read = await core.pulls.diff(caller, number)
    return { ...read, ...partOfDiff(read.diff, part, `#${number}`) }
  },
})
