import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { words } from '../words.ts'

export const deliveryAcked = defineEvent({
  type: 'delivery.acked',
  summary: 'A message is proven to have arrived.',
  payload: {
    delivery_id: z.string(),
    lane: z.string(),
  },
  minor: true,
  line: ['·', 'dim', (p) => words`${p.delivery_id} arrived`],
})
