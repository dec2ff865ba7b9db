import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { words } from '../words.ts'

export const issueRefused = defineEvent({
  type: 'issue.refused',
  summary: 'An issue has the label that spawns, and no agent was spawned for it.',
  payload: {
    number: z.number().int(),
    url: z.string(),
    label: z.string(),
    /** A code of docs/reference.md. */
    code: z.string(),
    reason: z.string(),
  },
  tells: { human: 'wake' },
  line: ['!', 'attention', (p) => words`no agent for issue #${p.number}: ${p.reason}`],
})
