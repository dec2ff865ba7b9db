import { z } from 'zod'
import { defineTool } from '../define.ts'

export const question = defineTool({
  name: 'question',
  description:
    'Ask your parent and wait for the answer. Use it when you cannot decide alone and a wrong guess would cost more than the wait; use note for everything else. If no answer comes in time the result is pending: end your turn, and the answer will come to you as a message.',
  audience: ['tl', 'dev', 'human'],
  listed: true,
  input: z.object({
    message: z.string().min(1),
    timeout: z
      .number()
      .min(0)
      .max(86_400)
      .optional()
      .describe('Seconds to wait; default from the configuration (300)'),
  }),
  output: z.discriminatedUnion('status', [
    z.object({ status: z.literal('answered'), question_id: z.string(), answer: z.string() }),
    z.object({ status: z.literal('pending'), question_id: z.string() }),
  ]),
  command: {
    name: 'question',
    summary: 'Ask the parent and wait for the answer',
    fields: {
      message: '<message...>  The question',
      timeout:
        '-t, --timeout <duration>  How long to wait, such as 90s or 5m; default from the configuration',
    },
    examples: [
      'exomonad question "Cookies, or tokens?"',
      'exomonad question --timeout 10m "Cookies, or tokens?"',
    ],
  },
  handler: ({ core, caller, signal, progress, consumed }, input) => {
    progress('Waiting for the answer')
    return core.messages.question(caller, input.message, input.timeout, signal, consumed)
  },
})
