import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { words } from '../words.ts'

export const questionAsked = defineEvent({
  type: 'question.asked',
  summary: 'An agent asked its parent.',
  payload: {
    name: z.string(),
    question_id: z.string(),
    message: z.string(),
  },
  tells: { parent: 'wake' },
  personal: true,
  urgent: true,
  line: ['?', 'attention', (p) => words`asks (${p.question_id}): ${p.message}`],
})
