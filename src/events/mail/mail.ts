import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { words } from '../words.ts'

export const mail = defineEvent({
  type: 'mail',
  summary: 'Mail from another agent waits.',
  payload: {
    from_id: z.string(),
    from_name: z.string(),
    count: z.number(),
    urgency: z.enum(['info']).optional(),
  },
  tells: ({ urgency }) => ({ owner: urgency === 'info' ? 'carry' : 'wake' }),
  personal: true,
  line: ['→', 'dim', (p) => words`mail from ${p.from_name}`],
})
