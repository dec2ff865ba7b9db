import { z } from 'zod'
import { defineTool } from '../define.ts'

export const filePr = defineTool({
  name: 'file_pr',
  description:
    'Push your branch and file a pull request against your parent’s branch, which is found for you. Call it when your task is done and committed, or with draft=true to show work early; an open pull request of yours is updated. Checks start by themselves, and results and reviews come to you as messages.',
  audience: ['tl', 'dev', 'human'],
  keyed: true,
  listed: true,
  input: z.object({
    title: z.string().min(1).describe('One line that says what the change does'),
    body: z.string().describe('What changed, why, and how it was checked'),
    draft: z.boolean().default(false),
  }),
  output: z.object({
    pr_number: z.number().int(),
    pr_url: z.string(),
    head_branch: z.string(),
    base_branch: z.string(),
    created: z.boolean().describe('false: an open pull request was updated'),
    warnings: z.array(z.string()),
  }),
  command: {
    name: 'pr file',
    summary: 'Push the branch and file a pull request against its parent’s branch',
    fields: {
      title: '-t, --title <text>',
      body: '-b, --body <text>  What changed, why, and how it was checked; - reads it from standard input',
      draft: '--draft  Not ready to be merged yet',
    },
    given: { body: '' },
    examples: [
      'exomonad pr file --title "Add the login" --draft',
      'exomonad pr file --title "Add the login" --body - <notes.md',
    ],
  },
  handler: ({ core, caller, once }, input) => core.pulls.file(caller, input, once?.since),
})
