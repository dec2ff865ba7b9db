import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { pull } from '../shapes.ts'
import { words } from '../words.ts'

export const landingStopped = defineEvent({
  type: 'landing.stopped',
  summary: 'A pull request that waited to land does not any more.',
  payload: {
    ...pull,
    reason: z.string(),
    /** Another event says so to whoever asked for it. */
    told: z.boolean(),
  },
  tells: ({ told }) => (told ? {} : { parent: 'wake' }),
  line: ['■', 'dim', (p) => words`#${p.number} does not wait to land any more: ${p.reason}`],
})
