import { z } from 'zod'
import { defineTool } from '../define.ts'

export const scrollback = defineTool({
  name: 'scrollback',
  description:
    'What people are shown beside an agent’s terminal: its task, lines captured for a child to be, and what their waits answered.',
  audience: ['human'],
  forAnyAgent: true,
  effect: 'reads',
  listed: false,
  input: z.object({
    agent: z
      .string()
      .min(1)
      .optional()
      .describe('Id, branch or name; without, the agent acted for'),
  }),
  output: z.object({
    agent_id: z.string(),
    task: z.string().describe('All of what it was given to do; empty where that is nothing'),
    entries: z
      .array(
        z.object({
          seq: z.number().int(),
          kind: z.string().describe('capture-begin, capture, capture-cancel, capture-fork or wait'),
          text: z.string(),
          at: z.number().describe('Milliseconds since the epoch'),
          line: z
            .number()
            .int()
            .describe('Lines of the terminal’s text above it when it was written'),
        }),
      )
      .describe('Oldest first'),
    capture_lines: z
      .number()
      .int()
      .nullable()
      .describe('Of the open capture; null where none is open'),
  }),
  command: {
    name: 'capture show',
    summary: 'Print what the open capture holds',
    examples: ['exomonad capture show'],
  },
  handler: ({ core, caller }, input) => core.captures.scrollback(input.agent ?? caller.agent.id),
})
