import { z } from 'zod'
import { defineTool } from './define.ts'

export const tearDown = defineTool({
  name: 'tear_down',
  description:
    'Runs the teardown commands of the configuration in worktrees that are about to be removed by hand; removes nothing itself.',
  audience: ['human'],
  listed: false,
  input: z.object({
    worktrees: z
      .array(z.string().min(1))
      .describe('Absolute paths; those that no ended agent owns are passed over'),
  }),
  output: z.object({ warnings: z.array(z.string()).describe('What failed') }),
  handler: async ({ core }, { worktrees }) => ({
    warnings: await core.maintenance.tearDown(worktrees),
  }),
})
