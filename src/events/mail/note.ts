import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { words } from '../words.ts'

export const note = defineEvent({
  type: 'note',
  summary: 'An agent sent its parent a note.',
  payload: { name: z.string(), message: z.string(), urgency: z.enum(['info']).optional() },
  tells: ({ urgency }) => ({ parent: urgency === 'info' ? 'carry' : 'wake' }),
  personal: true,
  line: ['✎', 'active', (p) => words`note: ${p.message}`],
})
