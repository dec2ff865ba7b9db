import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { words } from '../words.ts'

export const agentTool = defineEvent({
  type: 'agent.tool',
  summary: 'An agent without a terminal called a tool, or the call ended.',
  payload: {
    name: z.string(),
    tool: z.string(),
    /** Its input in short. */
    detail: z.string(),
    phase: z.enum(['started', 'ended']),
    /** Of one that ended: `completed` or `failed`, where the agent reports it. */
    status: z.string().optional(),
  },
  minor: true,
  line: [
    '⎿',
    'dim',
    (p) => words`${p.phase === 'ended' ? `${p.status || 'done'}: ` : ''}${p.detail || p.tool}`,
  ],
})
