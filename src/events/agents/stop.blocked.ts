import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { words } from '../words.ts'

export const stopBlocked = defineEvent({
  type: 'stop.blocked',
  summary: 'The stop check held an agent.',
  payload: {
    objection: z.string(),
    reason: z.string(),
    times: z.number(),
  },
  line: ['↻', 'attention', (p) => words`held at its stop: ${p.objection}`],
})
