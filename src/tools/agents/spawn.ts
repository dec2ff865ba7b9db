import { z } from 'zod'
import { defineTool } from '../define.ts'
import {
  eachSpecAlone,
  issueNumber,
  spawnError,
  sparseFolders,
  spawnResult,
  wakeFor,
} from '../shapes.ts'

/**
 * What `exomonad spawn` calls: everything that spawn_subtree and spawn_workers do, plus adoption
 * and a dry run.
 */
export const spawn = defineTool({
  name: 'spawn',
  description:
    'Spawns subtrees or workers with the options that only people need: adopting an existing branch, a second agent for an issue, and a dry run that shows what would be made.',
  audience: ['tl', 'human'],
  keyed: true,
  listed: false,
  prepare: eachSpecAlone,
  input: z.object({
    kind: z.enum(['subtree', 'worker']),
    specs: z
      .array(
        z.object({
          name: z
            .string()
            .min(1)
            .optional()
            .describe('Left out of an issue’s, it is made of number and title'),
          prompt: z
            .string()
            .min(1)
            .optional()
            .describe('The whole task; of an issue what is to be added to its words'),
          issue: issueNumber.optional(),
          agent: z
            .string()
            .optional()
            .describe(
              'Another program than the role’s: an [agents.NAME], or acp:NAME of an [acp.NAME]',
            ),
          role: z
            .string()
            .optional()
            .describe('A role of the configuration; default tl for subtrees, dev for workers'),
          sparse: sparseFolders,
          branch: z
            .string()
            .optional()
            .describe('Adopt this branch (and its worktree, if it has one) instead of making one'),
        }),
      )
      .min(1),
    wake: wakeFor,
    allow_dirty: z.boolean().default(false),
    dry_run: z.boolean().default(false),
    force: z
      .boolean()
      .default(false)
      .describe('Spawn a second agent for an issue that one works on already (people only)'),
  }),
  output: z.union([
    spawnResult,
    z.object({
      planned: z.array(
        z.object({
          name: z.string(),
          branch: z.string(),
          worktree: z.string(),
          base: z.string(),
          fork_point: z.string(),
          agent: z.string(),
          argv: z.array(z.string()),
        }),
      ),
      errors: z.array(spawnError),
    }),
  ]),
  handler: ({ core, caller, once }, input) => {
    const specs = input.specs.map(({ name = '', prompt = '', ...spec }) => ({
      ...spec,
      name,
      prompt,
      kind: input.kind,
    }))
    const options = { allowDirty: input.allow_dirty, again: input.force, wake: input.wake }
    return input.dry_run
      ? core.spawning.plan(caller, specs, options)
      : core.spawning.spawn(caller, specs, { ...options, since: once?.since })
  },
})
