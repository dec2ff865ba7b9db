import { z } from 'zod'
import { defineTool } from '../define.ts'

export const attention = defineTool({
  name: 'attention',
  description:
    'How many agents work and how many items need the human: as little as a shell’s prompt shows. The inbox lists the items, the tree the agents.',
  audience: ['human'],
  effect: 'reads',
  listed: false,
  input: z.object({}),
  output: z.object({
    working: z.number().int().describe('Agents that are at work now'),
    items: z.number().int().describe('Items of the inbox'),
  }),
  handler: ({ core }) => core.view.attention(),
})
