import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { words } from '../words.ts'

export const agentLimited = defineEvent({
  type: 'agent.limited',
  summary: 'A limit of an agent ended a process of it, or refused it one.',
  payload: {
    name: z.string(),
    limit: z.enum(['memory', 'processes']),
    /** In words: `memory limit of 4 GiB`. */
    bound: z.string(),
    /** What raises it in the configuration. */
    key: z.string(),
    /** Processes since it was last reported. */
    times: z.number(),
    /** The program of the root itself, which is reported in no other way. */
    ended: z.boolean(),
  },
  // A process that is gone, the agent may wait for in vain; one that was refused has failed in front
  // of it.
  tells: ({ limit, ended }) =>
    ended ? { human: 'wake' } : { owner: limit === 'memory' ? 'wake' : 'carry', parent: 'carry' },
  line: [
    '!',
    'attention',
    (p) =>
      p.ended === true
        ? words`ended by its ${p.bound} (kernel OOM kill)`
        : p.limit === 'memory'
          ? words`its ${p.bound} ended ${p.times} of its processes (kernel OOM kill)`
          : words`its ${p.bound} refused it ${p.times} more`,
  ],
})
