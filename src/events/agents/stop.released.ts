import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { words } from '../words.ts'

export const stopReleased = defineEvent({
  type: 'stop.released',
  summary: 'An agent was let go although an objection stands.',
  payload: {
    name: z.string(),
    objection: z.string(),
    times: z.number(),
  },
  tells: { parent: 'wake' },
  line: ['!', 'attention', (p) => words`let go although ${p.objection} stands`],
})
