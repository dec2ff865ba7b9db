import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { words } from '../words.ts'

export const deliveryFailed = defineEvent({
  type: 'delivery.failed',
  summary: 'A message could not be delivered; it went to the next in line.',
  payload: {
    delivery_id: z.string(),
    reason: z.string(),
    to: z.string(),
  },
  line: ['✗', 'bad', (p) => words`${p.delivery_id} could not be delivered: ${p.reason}`],
})
