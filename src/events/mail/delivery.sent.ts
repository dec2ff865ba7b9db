import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { words } from '../words.ts'

export const deliverySent = defineEvent({
  type: 'delivery.sent',
  summary: 'A message was handed over.',
  payload: {
    delivery_id: z.string(),
    lane: z.string(),
  },
  minor: true,
  line: ['·', 'dim', (p) => words`${p.delivery_id} sent by ${p.lane}`],
})
