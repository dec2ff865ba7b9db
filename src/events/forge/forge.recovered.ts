import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { words } from '../words.ts'

export const forgeRecovered = defineEvent({
  type: 'forge.recovered',
  summary: 'The forge can be used again.',
  payload: {
    forge: z.string(),
    minutes: z.number(),
  },
  tells: { human: 'wake' },
  line: ['✓', 'good', (p) => words`${p.forge} can be used again, after ${p.minutes} min`],
})
