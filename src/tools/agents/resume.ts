import { z } from 'zod'
import { defineTool } from '../define.ts'
import { spawnError } from '../shapes.ts'

export const resume = defineTool({
  name: 'resume',
  description: 'Launches agents whose program is gone again, in their worktree and session.',
  audience: ['human'],
  listed: false,
  input: z.object({
    agent: z
      .string()
      .optional()
      .describe('Id, branch or name; all whose program is gone where left out'),
  }),
  output: z.object({
    resumed: z.array(
      z.object({
        agent_id: z.string(),
        name: z.string(),
        pane: z.string(),
        session: z.string(),
        warnings: z.array(z.string()),
      }),
    ),
    errors: z.array(spawnError),
  }),
  command: {
    name: 'resume',
    summary: 'Launch agents again whose program is gone',
    fields: { agent: '[agent]  Id, branch or name' },
    examples: ['exomonad resume auth', 'exomonad resume --all'],
  },
  handler: ({ core }, input) => core.control.resume(input.agent),
})
