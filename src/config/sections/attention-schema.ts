import { z } from 'zod'
import { seconds } from './schema-fields.ts'

/** Of `.exomonad/config.toml` what begins a turn of an agent. */

const reach = z.enum(['wake', 'carry', 'log'])

const events = z.record(z.string(), reach).default({})

export const attentionSchema = z
  .strictObject({
    batch_within: z
      .number()
      .min(0)
      .default(2)
      .describe(
        'What comes for an agent at rest within this time of the first is one message with it. What somebody wrote to it goes at once. Seconds.',
      ),
    stalled_after: seconds(
      1800,
      'An agent that works and shows no sign of life for this long, or rests for nothing known and has reported nothing: its parent is notified. A child that is waited for with others (`wake: "all_settled"`) is so no longer than this after its last sign.',
    ),
    background_after: seconds(
      7200,
      'An agent that has reported nothing and rests for background tasks of its own is only shown with them. What runs for this long is taken for a server, which never ends: its parent is notified.',
    ),
    events: events.describe(
      'How an event reaches agents: "wake", "carry" (along with the next thing that reaches them) or "log" (not at all). See the table of events.',
    ),
    roles: z
      .record(z.string(), events)
      .default({})
      .describe('[attention.roles.ROLE]: the same for agents of one role, which goes first.'),
  })
  .prefault({})
