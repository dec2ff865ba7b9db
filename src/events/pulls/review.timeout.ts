import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { pull } from '../shapes.ts'
import { words } from '../words.ts'

export const reviewTimeout = defineEvent({
  type: 'review.timeout',
  summary: 'A pull request got no review in time.',
  payload: {
    ...pull,
    minutes: z.number(),
  },
  tells: { parent: 'wake' },
  line: ['?', 'attention', (p) => words`#${p.number} has no review after ${p.minutes} min`],
})
