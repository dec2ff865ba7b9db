import { z } from 'zod'
import { defineTool } from '../define.ts'
import { PULL } from '../shapes.ts'

export const foldLog = defineTool({
  name: 'fold_log',
  description:
    'What the last check of a pull request’s link in the fold wrote; of one that was taken out, the red run that shows why.',
  audience: ['tl', 'dev', 'human'],
  effect: 'reads',
  listed: false,
  input: z.object({ pr_number: z.number().int().positive() }),
  output: z.object({
    number: z.number().int(),
    state: z.string(),
    path: z.string(),
    log: z.string(),
  }),
  command: {
    name: 'fold log',
    summary: 'What the last check of a link wrote',
    fields: { pr_number: PULL },
    examples: ['exomonad fold log 12', 'exomonad fold log auth'],
  },
  handler: ({ core }, { pr_number: number }) => core.fold.log(number),
})
