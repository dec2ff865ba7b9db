import { z } from 'zod'
import { defineTool } from '../define.ts'
import { urgency } from '../shapes.ts'

export const note = defineTool({
  name: 'note',
  description:
    'Send your parent a note without waiting: progress, a finding, a decision you took. It returns at once. Use question instead when you cannot go on without an answer, and urgency "info" for what needs nothing of it: that begins no turn of its.',
  audience: ['tl', 'dev', 'human'],
  keyed: true,
  listed: true,
  input: z.object({
    message: z.string().min(1),
    stop_reason: z
      .boolean()
      .default(false)
      .describe(
        'This is why you stop with work uncommitted or not rebased; lets the stop check pass',
      ),
    urgency,
  }),
  output: z.object({ status: z.literal('sent') }),
  command: {
    name: 'note',
    summary: 'Send the parent a note',
    fields: {
      message: '<message...>  The text',
      stop_reason: '--stop-reason',
      urgency: '--urgency',
    },
    examples: ['exomonad note - <report.md', 'exomonad note "The tests of src/auth pass"'],
  },
  handler: ({ core, caller, once }, input) =>
    core.messages.note(caller, input.message, {
      stopReason: input.stop_reason,
      urgency: input.urgency,
      once,
    }),
})
