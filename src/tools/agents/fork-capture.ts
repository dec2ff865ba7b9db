import { z } from 'zod'
import { defineTool } from '../define.ts'
import { forkedAgent } from '../shapes.ts'

export const forkCapture = defineTool({
  name: 'fork_capture',
  description:
    'Makes a child of the agent that a person acts for, with the open capture as its prompt; the capture ends with that. Without one, a child that idles until it gets a message.',
  audience: ['human'],
  forAnyAgent: true,
  listed: false,
  input: z.object({
    name: z
      .string()
      .min(1)
      .optional()
      .describe('Default: the first words of the prompt, else fork-N'),
    context: z.enum(['inherit', 'fresh']).default('inherit'),
  }),
  output: forkedAgent.extend({ captured: z.boolean() }),
  command: {
    name: 'capture fork',
    summary: 'Fork a child whose prompt is the open capture; without one, a child that idles',
    fields: {
      name: '[name]  Default: the first words of the capture',
      context:
        '-c, --context <which>  With the agent’s conversation so far, or fresh: with the prompt alone',
    },
    examples: ['exomonad capture fork reader --context fresh'],
  },
  handler: ({ core, caller }, input) => core.forking.forkCapture(caller, input),
})
