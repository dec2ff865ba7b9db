import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { words } from '../words.ts'

export const spawnFailed = defineEvent({
  type: 'spawn.failed',
  summary: 'A spawn failed; what had been made was taken back.',
  payload: {
    name: z.string(),
    branch: z.string(),
    error: z.string(),
    code: z.string(),
  },
  line: ['✗', 'bad', (p) => words`spawn of ${p.name} failed and was taken back: ${p.error}`],
})
