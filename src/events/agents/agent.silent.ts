import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { words } from '../words.ts'

export const agentSilent = defineEvent({
  type: 'agent.silent',
  summary: 'An agent gave no sign of life for a long time.',
  payload: {
    name: z.string(),
    minutes: z.number(),
    dedupe: z.string(),
  },
  tells: { parent: 'wake' },
  dedupe: ({ dedupe }, agentId) => `silent:${agentId}:${dedupe}`,
  line: ['?', 'attention', (p) => words`silent for ${p.minutes} min`],
})
