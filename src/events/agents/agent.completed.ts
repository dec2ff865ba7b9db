import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { words } from '../words.ts'

export const agentCompleted = defineEvent({
  type: 'agent.completed',
  summary: 'An agent reported that its work is done.',
  payload: {
    name: z.string(),
    summary: z.string(),
  },
  tells: { parent: 'wake' },
  standing: true,
  line: ['✓', 'good', (p) => words`done: ${p.summary}`],
})
