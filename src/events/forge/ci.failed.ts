import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { failedJob, pull } from '../shapes.ts'
import { words } from '../words.ts'

/** Failed checks from this time in a row on are the parent’s business too. */
const REPEATED_FAILURES = 2

export const ciFailed = defineEvent({
  type: 'ci.failed',
  summary: 'Checks failed.',
  payload: {
    ...pull,
    sha: z.string(),
    jobs: z.array(failedJob),
    times: z.number(),
    /** It was the result of landing it, which `landing.red` reports. */
    landing: z.boolean().optional(),
  },
  // A red result of a landing is sent as `landing.red`, to both.
  tells: ({ landing, times }) =>
    landing === true
      ? {}
      : { owner: 'wake', ...(times >= REPEATED_FAILURES && { parent: 'wake' }) },
  line: ['✗', 'bad', (p) => words`checks of #${p.number} failed: ${p.jobs}`],
})
