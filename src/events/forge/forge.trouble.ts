import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { words } from '../words.ts'

export const forgeTrouble = defineEvent({
  type: 'forge.trouble',
  summary: 'The forge can’t be used; what it says is read again later.',
  payload: {
    forge: z.string(),
    reason: z.string(),
    /** A code of docs/reference.md. */
    code: z.string(),
    /** ISO 8601; null where nobody knows. */
    retry_at: z.string().nullable(),
  },
  tells: { human: 'wake' },
  line: ['!', 'attention', (p) => words`${p.forge} can’t be used: ${p.reason}`],
})
