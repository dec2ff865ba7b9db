import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { words } from '../words.ts'

export const agentUnsettled = defineEvent({
  type: 'agent.unsettled',
  summary:
    'A child that its lead waits for together with others (`wake: "all_settled"`) gave no sign for too long: it is waited for no more.',
  payload: {
    name: z.string(),
    minutes: z.number(),
    /** What it was waited for, in words: “it waits for the checks of #3”. */
    why: z.string(),
  },
  tells: { parent: 'wake' },
  line: ['?', 'attention', (p) => words`not settled for ${p.minutes} min: ${p.why}`],
})
