import { z } from 'zod'
import { defineTool } from '../define.ts'

export const kill = defineTool({
  name: 'kill',
  description:
    'End an agent below you and everything below it. Use it when its work is merged, reported, superseded or going nowhere; to give it more work, send it a message instead. Its branch, worktree and pull request stay.',
  audience: ['tl', 'human'],
  effect: 'ends',
  listed: true,
  input: z.object({ agent: z.string().min(1).describe('Id, branch or name') }),
  output: z.object({ killed: z.array(z.string()) }),
  handler: ({ core, caller }, input) => core.control.kill(caller, input.agent),
})
