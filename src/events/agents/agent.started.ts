import { z } from 'zod'
import { defineEvent } from '../define.ts'

export const agentStarted = defineEvent({
  type: 'agent.started',
  summary: 'An agent’s program runs.',
  payload: { name: z.string(), resumed: z.boolean() },
  line: ['▶', 'active', (p) => (p.resumed === true ? 'program runs again' : 'program runs')],
})
