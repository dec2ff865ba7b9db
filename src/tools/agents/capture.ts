import { z } from 'zod'
import { defineTool } from '../define.ts'

export const capture = defineTool({
  name: 'capture',
  description:
    'Keeps lines that a person writes as the task of a child; the agent that it will be forked from is never notified of them. fork_capture makes the child, cancel gives it up.',
  audience: ['human'],
  forAnyAgent: true,
  keyed: true,
  listed: false,
  input: z.object({
    begin: z
      .boolean()
      .default(true)
      .describe('Open a capture where none is; with false that is an error'),
    text: z.string().optional().describe('One or more lines to add'),
  }),
  output: z.object({
    agent_id: z.string(),
    lines: z.number().int().describe('Of the open capture'),
  }),
  command: [
    {
      name: 'capture start',
      summary:
        'Open a capture: what is added to it becomes a child’s task, and never reaches the agent itself',
      examples: ['exomonad capture start'],
    },
    {
      name: 'capture add',
      summary: 'Add to the open capture',
      fields: { text: '<text...>  Text of one or more lines' },
      given: { begin: false },
      examples: ['exomonad capture add "Read the tests first"', 'exomonad capture add - <task.md'],
    },
  ],
  handler: ({ core, caller, once }, input) => core.captures.add(caller, { ...input, once }),
})
