import { z } from 'zod'
import { defineTool } from '../define.ts'

export const ack = defineTool({
  name: 'ack',
  description:
    'Confirms messages that reached you, by the ids in their text. For agents that are scripts: `exomonad ack`.',
  audience: ['tl', 'dev', 'human'],
  listed: false,
  input: z.object({
    ids: z.array(z.string()).min(1).describe('Their ids: m-… at the end of each message'),
  }),
  output: z.object({ acked: z.array(z.string()), unknown: z.array(z.string()) }),
  command: {
    name: 'ack',
    summary: 'Confirm messages that arrived',
    fields: { ids: '<messages...>' },
    examples: ['exomonad ack m-0123456789ab'],
  },
  handler: ({ core, caller }, input) => core.messages.ack(caller, input.ids),
})
