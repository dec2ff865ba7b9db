import { z } from 'zod'
import { defineTool } from '../define.ts'
import { foldDocument } from '../shapes.ts'

export const foldResume = defineTool({
  name: 'fold_resume',
  description: 'Goes on with the fold after fold_pause.',
  audience: ['human'],
  listed: false,
  input: z.object({}),
  output: foldDocument,
  command: {
    name: 'fold resume',
    summary: 'Go on after `fold pause`',
    examples: ['exomonad fold resume'],
  },
  handler: ({ core }) => core.fold.resume(),
})
