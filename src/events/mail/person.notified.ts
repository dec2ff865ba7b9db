import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { words } from '../words.ts'

export const personNotified = defineEvent({
  type: 'person.notified',
  summary: 'A target of [notify] took a message: a person was told what needs them.',
  payload: {
    /** Its name in the configuration. */
    target: z.string(),
    kind: z.enum(['desktop', 'webhook', 'command', 'terminal']),
    /** How many things; 0 for a test. */
    count: z.number().int(),
    title: z.string(),
    /** What attached terminals show below; empty for every other kind. */
    body: z.string(),
  },
  minor: true,
  line: ['→', 'dim', (p) => words`told you by ${p.target}: ${p.title}`],
})
