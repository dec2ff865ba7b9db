import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { pull } from '../shapes.ts'
import { words } from '../words.ts'

export const landingQueued = defineEvent({
  type: 'landing.queued',
  summary: 'The result of a merge has to be checked first; it lands by itself when that is green.',
  payload: { ...pull, sha: z.string() },
  line: [
    '●',
    'attention',
    (p) => words`#${p.number} waits to land on ${p.base}: its result is checked first`,
  ],
})
