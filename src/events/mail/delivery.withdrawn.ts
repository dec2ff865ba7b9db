import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { words } from '../words.ts'

export const deliveryWithdrawn = defineEvent({
  type: 'delivery.withdrawn',
  summary: 'A message was no longer true before it was delivered.',
  payload: {
    delivery_id: z.string(),
    reason: z.string(),
  },
  line: ['−', 'dim', (p) => words`message ${p.delivery_id} withdrawn: ${p.reason}`],
})
