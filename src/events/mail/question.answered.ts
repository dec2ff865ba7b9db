import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { words } from '../words.ts'

export const questionAnswered = defineEvent({
  type: 'question.answered',
  summary: 'A question was answered.',
  payload: {
    question_id: z.string(),
    question: z.string(),
    answer: z.string(),
    by: z.string(),
    delivered_by: z.enum(['tool', 'message']),
  },
  // An answer that the waiting call took must not come a second time.
  tells: ({ delivered_by: by }) => (by === 'message' ? { owner: 'wake' } : {}),
  personal: true,
  line: ['!', 'good', (p) => words`answered: ${p.answer}`],
})
