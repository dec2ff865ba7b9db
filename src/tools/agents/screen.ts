import { z } from 'zod'
import { defineTool } from '../define.ts'

export const screen = defineTool({
  name: 'screen',
  description:
    'The text in an agent’s pane, or its transcript where the pane is gone; of one without a terminal what it wrote.',
  audience: ['human'],
  // Cleaned where it is made, but for its colours.
  exact: ['styled_text'],
  effect: 'reads',
  listed: false,
  input: z.object({
    agent: z.string().min(1).describe('Id, branch or name'),
    lines: z
      .number()
      .int()
      .min(0)
      .max(100_000)
      .default(1000)
      .describe('How many lines above the screen, at most'),
    styled: z.boolean().default(false).describe('Also with colours and attributes'),
  }),
  output: z.object({
    agent_id: z.string(),
    text: z.string(),
    styled_text: z
      .string()
      .optional()
      .describe(
        'With `styled`: the same with escape sequences of colours and attributes (SGR) and no others, wrapped lines joined',
      ),
    live: z.boolean(),
  }),
  command: {
    name: 'logs',
    summary: 'Print what is on an agent’s terminal, or what it wrote without one',
    fields: { agent: '<agent>', lines: '-n, --lines <count>' },
    examples: ['exomonad logs auth --lines 100', 'exomonad logs npm-test --follow'],
  },
  handler: ({ core }, input) =>
    core.control.screen(input.agent, { lines: input.lines, styled: input.styled }),
})
