import { z } from 'zod'

/** Of what is written to an agent. */
export const urgency = z
  .literal('info')
  .optional()
  .describe(
    'info: nothing has to be done about it. It goes along with the next thing that reaches its recipient, and begins no turn',
  )
