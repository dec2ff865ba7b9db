import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { words } from '../words.ts'

export const baseGreen = defineEvent({
  type: 'base.green',
  summary: 'A branch that was red is green again.',
  payload: {
    branch: z.string(),
    sha: z.string(),
  },
  line: ['✓', 'good', (p) => words`${p.branch} is green again`],
})
