import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { words } from '../words.ts'

export const deliveryUndecided = defineEvent({
  type: 'delivery.undecided',
  summary: 'Whether a message arrived can’t be known; a person should look.',
  payload: {
    delivery_id: z.string(),
    name: z.string(),
    reason: z.string(),
    text: z.string(),
  },
  tells: { human: 'wake' },
  urgent: true,
  line: ['?', 'bad', (p) => words`nobody knows whether ${p.delivery_id} arrived: ${p.reason}`],
})
