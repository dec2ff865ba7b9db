import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { words } from '../words.ts'

export const rebaseDone = defineEvent({
  type: 'rebase.done',
  summary: 'A branch was rebased onto its base and pushed.',
  payload: {
    branch: z.string(),
    base: z.string(),
    onto: z.string(),
    head: z.string(),
    /** The head before, where it brought the same changes. */
    from: z.string().optional(),
  },
  line: ['↻', 'good', (p) => words`rebased onto ${p.base}`],
})
