import { z } from 'zod'
import { defineTool } from '../define.ts'

export const readMessage = defineTool({
  name: 'read_message',
  description:
    'Read the whole text of a message that reached you as a single line only. Call it with the id from that line when the message itself did not come with the prompt; mail from other agents is taken with check_mail instead.',
  audience: ['tl', 'dev', 'human'],
  listed: true,
  input: z.object({
    id: z.string().min(1).describe('Like m-0123456789ab, from the line that you were sent'),
  }),
  output: z.object({ id: z.string(), message: z.string() }),
  handler: ({ core, caller }, input) => core.messages.read(caller, input.id),
})
