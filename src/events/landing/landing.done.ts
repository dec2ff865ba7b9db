import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { other } from '../shapes.ts'
import { numbers, words } from '../words.ts'

export const landingDone = defineEvent({
  type: 'landing.done',
  summary: 'All that was asked to land on a branch has landed.',
  payload: {
    branch: z.string(),
    landed: z.array(other),
  },
  tells: { owner: 'wake' },
  line: ['⇐', 'special', (p) => words`${numbers(p.landed)} landed on ${p.branch}, checked`],
})
