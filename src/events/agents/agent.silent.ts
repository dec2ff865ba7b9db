import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { words } from '../words.ts'

export const agentSilent = defineEvent({
  type: 'agent.silent',
  summary:
    'An agent gave no sign of life for a long time, or rests so long and has reported nothing.',
  payload: {
    name: z.string(),
    minutes: z.number(),
    dedupe: z.string(),
    /** What it rests for by itself; empty while it works. Missing in events of before. */
    waits_for: z.string().optional(),
    /** It rests. Missing in events of before, whose `waits_for` says so. */
    rests: z.boolean().optional(),
  },
  tells: { parent: 'wake' },
  dedupe: ({ dedupe }, agentId) => `silent:${agentId}:${dedupe}`,
  line: [
    '?',
    'attention',
    (p) =>
      (p.waits_for ?? '') !== ''
        ? words`rests for ${p.minutes} min, for ${p.waits_for}`
        : p.rests === true
          ? words`rests for ${p.minutes} min, for nothing known`
          : words`silent for ${p.minutes} min`,
  ],
})
