import { z } from 'zod'
import { defineTool } from '../define.ts'

export const checkMail = defineTool({
  name: 'check_mail',
  description:
    'Take all messages that wait for you, oldest first. Call it when you are notified that you have mail; with peek=true they stay.',
  audience: ['tl', 'dev', 'human'],
  effect: ({ peek }) => (peek ? 'reads' : 'changes'),
  listed: true,
  input: z.object({ peek: z.boolean().default(false) }),
  output: z.object({
    messages: z.array(
      z.object({
        from: z.string(),
        name: z.string(),
        message: z.string(),
        sent_at: z.number().describe('Milliseconds since the epoch'),
      }),
    ),
  }),
  command: {
    name: 'mail',
    summary: 'Take the mail that other agents sent',
    fields: { peek: '--peek  Leave the messages where they are' },
    examples: ['exomonad mail', 'exomonad mail --peek'],
  },
  handler: ({ core, caller, consumed }, input) =>
    core.messages.checkMail(caller, input.peek, consumed),
})
