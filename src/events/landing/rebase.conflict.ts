import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { words } from '../words.ts'

export const rebaseConflict = defineEvent({
  type: 'rebase.conflict',
  summary: 'A rebase stopped at a conflict that the agent is asked to resolve.',
  payload: {
    branch: z.string(),
    base: z.string(),
    files: z.array(z.string()),
    tries: z.number(),
  },
  line: ['✗', 'attention', (p) => words`rebase onto ${p.base} conflicts in ${p.files}`],
})
