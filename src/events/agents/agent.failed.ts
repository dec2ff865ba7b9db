import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { words } from '../words.ts'

export const agentFailed = defineEvent({
  type: 'agent.failed',
  summary: 'An agent’s program ended without being asked to, or it reported failure.',
  payload: {
    name: z.string(),
    exit_code: z.number().nullable(),
    signal: z.string().nullable(),
    reason: z.string(),
    last_lines: z.string(),
  },
  tells: { parent: 'wake', human: 'wake' },
  urgent: true,
  standing: true,
  line: ['✗', 'bad', (p) => words`failed: ${p.reason}`],
})
