import { z } from 'zod'
import { defineTool } from '../define.ts'
import { issueNumber, spawnedAgent, wakeFor } from '../shapes.ts'
import { ExomonadError } from '../../domain/errors.ts'

export const spawnSubtree = defineTool({
  name: 'spawn_subtree',
  description:
    'Fork a worktree node off your current branch: a child tech lead with a branch and worktree of its own, and your conversation where that can be inherited. Use it when decomposing work into sub-problems that may need further decomposition, such as three or more distinct components or a design decision of their own. The child can spawn its own children and files one pull request against your branch.',
  audience: ['tl', 'human'],
  keyed: true,
  listed: true,
  input: z.object({
    task: z.string().min(1).describe('What the subtree is responsible for, complete in itself'),
    branch_name: z
      .string()
      .min(1)
      .describe('Branch suffix: "auth" makes "main.feature.auth" from "main.feature"'),
    issue: issueNumber.optional(),
    parent_session_id: z
      .string()
      .optional()
      .describe(
        'Your session id, to inherit your conversation; taken from your hooks where left out',
      ),
    agent: z
      .string()
      .optional()
      .describe('Another program than the role’s: an [agents.NAME], or acp:NAME of an [acp.NAME]'),
    wake: wakeFor,
    allow_dirty: z
      .boolean()
      .default(false)
      .describe(
        'Spawn although your worktree has uncommitted changes, which the child will not see',
      ),
  }),
  output: spawnedAgent,
  handler: async ({ core, caller, once }, input) => {
    const { spawned, errors } = await core.spawning.spawn(
      caller,
      [
        {
          kind: 'subtree',
          name: input.branch_name,
          prompt: input.task,
          issue: input.issue,
          agent: input.agent,
          parentSessionId: input.parent_session_id,
        },
      ],
      { allowDirty: input.allow_dirty, wake: input.wake, since: once?.since },
    )
    const [agent] = spawned
    if (agent !== undefined) return agent
    const [failure] = errors
    throw new ExomonadError(
      failure?.code ?? 'SPAWN_FAILED',
      failure?.error ?? 'The spawn failed.',
      { name: input.branch_name },
    )
  },
})
