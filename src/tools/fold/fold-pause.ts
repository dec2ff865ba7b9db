import { z } from 'zod'
import { defineTool } from '../define.ts'
import { foldDocument } from '../shapes.ts'

export const foldPause = defineTool({
  name: 'fold_pause',
  description:
    'Checks nothing ahead until fold_resume, also after a restart: each pull request is checked by itself, and what is asked to be merged lands as before.',
  audience: ['human'],
  listed: false,
  input: z.object({}),
  output: foldDocument,
  command: {
    name: 'fold pause',
    summary: 'Check nothing ahead until `fold resume`; merges that are asked for go on',
    examples: ['exomonad fold pause'],
  },
  handler: ({ core, caller }) => core.fold.pause(caller),
})
