import { z } from 'zod'
import { defineEvent } from '../define.ts'

export const agentReaped = defineEvent({
  type: 'agent.reaped',
  summary: 'An agent that had ended was taken out of sight; its work stays.',
  payload: {
    name: z.string(),
  },
  line: ['−', 'dim', () => 'taken out of sight; its work stays'],
})
