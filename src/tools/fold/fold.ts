import { z } from 'zod'
import { defineTool } from '../define.ts'
import { foldDocument } from '../shapes.ts'

export const fold = defineTool({
  name: 'fold',
  description:
    'What the open pull requests of each base come to together, checked ahead of any merge: the chain, what is green, what is being checked, and what was taken out because it is red. Use it before you merge several, to see that their sum is green.',
  audience: ['tl', 'dev', 'human'],
  effect: 'reads',
  listed: false,
  input: z.object({}),
  output: foldDocument,
  command: {
    name: 'fold',
    summary: 'What the open pull requests come to together, and how far it is checked',
    examples: ['exomonad fold'],
  },
  handler: ({ core }) => core.fold.show(),
})
