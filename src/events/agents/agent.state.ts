import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { words } from '../words.ts'

export const agentState = defineEvent({
  type: 'agent.state',
  summary: 'An agent’s state changed.',
  payload: {
    from: z.string(),
    to: z.string(),
    source: z.string(),
    reason: z.string().nullable(),
  },
  minor: true,
  line: [
    '·',
    'dim',
    (p) => words`${p.from} → ${p.to}${p.reason == null ? '' : words`: ${p.reason}`}`,
  ],
})
