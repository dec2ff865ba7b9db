import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { words } from '../words.ts'

export const agentInterrupted = defineEvent({
  type: 'agent.interrupted',
  summary: 'Somebody interrupted the turn of an agent.',
  payload: { name: z.string(), by: z.string() },
  line: ['!', 'attention', (p) => words`interrupted by ${p.by}`],
})
