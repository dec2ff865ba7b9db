import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { words } from '../words.ts'

export const agentKilled = defineEvent({
  type: 'agent.killed',
  summary: 'An agent was killed.',
  payload: { name: z.string(), by: z.string() },
  tells: { parent: 'carry' },
  standing: true,
  line: ['✗', 'bad', (p) => words`killed by ${p.by}`],
})
