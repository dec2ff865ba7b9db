import { z } from 'zod'
import { defineTool } from '../define.ts'
import { eachSpecAlone, issueNumber, sparseFolders, spawnResult, wakeFor } from '../shapes.ts'

export const spawnWorkers = defineTool({
  name: 'spawn_workers',
  description:
    'Spawn leaf agents, each in a worktree and branch of its own, to work at the same time. Use it when work is concrete enough to execute without further decomposition: give each a focused, bounded task with code snippets and exact commands. Workers cannot spawn; each files a pull request against your branch, which you review and merge.',
  audience: ['tl', 'human'],
  keyed: true,
  listed: true,
  prepare: eachSpecAlone,
  input: z.object({
    specs: z
      .array(
        z.object({
          name: z.string().min(1).describe('Branch suffix and name'),
          prompt: z.string().min(1).describe('The whole task'),
          issue: issueNumber.optional(),
          sparse: sparseFolders,
          agent: z
            .string()
            .optional()
            .describe(
              'Another program than the role’s: an [agents.NAME], or acp:NAME of an [acp.NAME]',
            ),
        }),
      )
      .min(1),
    wake: wakeFor,
  }),
  output: spawnResult,
  handler: ({ core, caller, once }, { specs, wake }) =>
    core.spawning.spawn(
      caller,
      specs.map((spec) => ({ ...spec, kind: 'worker' })),
      { wake, since: once?.since },
    ),
})
