import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { words } from '../words.ts'

export const message = defineEvent({
  type: 'message',
  summary: 'A person wrote to an agent, or an agent to a root without a program.',
  payload: {
    message: z.string(),
    raw: z.boolean().optional(),
    urgency: z.enum(['info']).optional(),
    /** Of the mail that it is, for whoever takes that. */
    mail_id: z.string().optional(),
  },
  tells: ({ urgency }) => ({ owner: urgency === 'info' ? 'carry' : 'wake' }),
  personal: true,
  line: ['→', 'active', (p) => words`message: ${p.message}`],
})
