import { z } from 'zod'
import { defineTool } from '../define.ts'

export const inbox = defineTool({
  name: 'inbox',
  description: 'What waits for the human: messages, questions of the root, approvals.',
  audience: ['human'],
  listed: false,
  input: z.object({ clear: z.boolean().default(false).describe('Mark the messages as read') }),
  output: z.object({
    messages: z.array(
      z.object({
        id: z.string(),
        kind: z.string(),
        text: z.string(),
        at: z.number(),
        question_id: z.string().nullable(),
      }),
    ),
    questions: z.array(
      z.object({
        question_id: z.string(),
        agent: z.string(),
        message: z.string(),
        asked_at: z.number(),
      }),
    ),
    approvals: z.array(
      z.object({
        approval_id: z.string(),
        agent: z.string(),
        what: z.string(),
        requested_at: z.number(),
      }),
    ),
  }),
  command: {
    name: 'inbox',
    summary: 'What waits for you: messages, questions, approvals',
    fields: { clear: '--clear' },
    examples: ['exomonad inbox', 'exomonad inbox --clear'],
  },
  handler: ({ core, consumed }, input) => core.messages.inbox(input, consumed),
})
