import { z } from 'zod'
import { defineTool } from '../define.ts'

export const notifyTest = defineTool({
  name: 'notify_test',
  description:
    'Sends a test to the targets of [notify], and says what each answered. Nothing that waits is touched by it.',
  audience: ['human'],
  listed: false,
  input: z.object({
    target: z
      .string()
      .min(1)
      .optional()
      .describe('NAME of [notify.targets.NAME], or notify.command; default: all'),
  }),
  output: z.object({
    answers: z.array(
      z.object({
        target: z.string(),
        kind: z.string(),
        ok: z.boolean(),
        answer: z.string().describe('What it answered, or why it could not be reached'),
      }),
    ),
  }),
  command: {
    name: 'notify test',
    summary: 'Send a test to each target of [notify], and see what it answers',
    fields: { target: '[target]' },
    examples: ['exomonad notify test', 'exomonad notify test phone'],
  },
  handler: ({ core }, { target }) => core.notifications.test(target),
})
