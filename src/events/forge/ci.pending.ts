import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { pull } from '../shapes.ts'
import { words } from '../words.ts'

export const ciPending = defineEvent({
  type: 'ci.pending',
  summary: 'Checks run on a pull request’s head.',
  payload: {
    ...pull,
    sha: z.string(),
    jobs: z.array(z.string()),
  },
  line: ['●', 'attention', (p) => words`checks of #${p.number} run: ${p.jobs}`],
})
