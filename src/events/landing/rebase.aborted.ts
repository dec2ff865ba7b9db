import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { words } from '../words.ts'

export const rebaseAborted = defineEvent({
  type: 'rebase.aborted',
  summary: 'A rebase was given up; the parent is asked.',
  payload: {
    branch: z.string(),
    base: z.string(),
    files: z.array(z.string()),
  },
  tells: { parent: 'wake' },
  line: ['✗', 'bad', (p) => words`rebase onto ${p.base} given up`],
})
