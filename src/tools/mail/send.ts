import { z } from 'zod'
import { defineTool } from '../define.ts'
import { urgency } from '../shapes.ts'

export const send = defineTool({
  name: 'send',
  description:
    'Send a message to any agent of your tree: a result to your parent, more work to a child that idles, word to a sibling. It returns at once; the recipient reads it with check_mail. When your task is done, send your parent the structured completion message.',
  audience: ['tl', 'dev', 'human'],
  keyed: true,
  listed: true,
  input: z.object({
    to: z.string().min(1).describe('Id, branch or name'),
    message: z.string().min(1),
    urgency,
  }),
  output: z.object({ status: z.literal('sent'), to: z.string() }),
  command: {
    name: 'send',
    summary: 'Send an agent a message',
    fields: { to: '<agent>', message: '<message...>  The text', urgency: '--urgency' },
    examples: ['exomonad send auth "Also the logout"', 'git diff | exomonad send auth -'],
  },
  handler: ({ core, caller, once }, input) =>
    core.messages.send(caller, input.to, input.message, { urgency: input.urgency, once }),
})
