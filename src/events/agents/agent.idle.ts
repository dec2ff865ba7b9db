import { z } from 'zod'
import { defineEvent } from '../define.ts'

export const agentIdle = defineEvent({
  type: 'agent.idle',
  summary: 'An agent ended its turn.',
  payload: { name: z.string() },
  tells: { parent: 'wake' },
  standing: true,
  line: ['○', 'dim', () => 'idle'],
})
