import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { words } from '../words.ts'

export const agentWaiting = defineEvent({
  type: 'agent.waiting',
  summary: 'An agent’s program waits for a person in its terminal; reported once per wait.',
  payload: {
    name: z.string(),
    reason: z.string(),
    source: z.string(),
    /** The last lines of its terminal, where nobody knows what it waits for; else empty. */
    screen: z.string(),
  },
  // What a hook reports is asked of a person, and goes on by itself; what nobody knows may be the
  // end of it.
  tells: ({ screen }) => (screen === '' ? { human: 'wake' } : { parent: 'wake', human: 'wake' }),
  urgent: true,
  line: ['!', 'attention', (p) => words`waits for a person: ${p.reason}`],
})
