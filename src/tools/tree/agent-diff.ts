import { z } from 'zod'
import { defineTool } from '../define.ts'
import { diffPart, partOfDiff, shownDiff } from '../diff-part.ts'

export const agentDiff = defineTool({
  name: 'agent_diff',
  description:
    'What an agent changed against its base so far, committed or not; it need not have filed a pull request.',
  audience: ['human'],
  effect: 'reads',
  listed: false,
  input: z.object({ agent: z.string().min(1).describe('Id, branch or name'), ...diffPart }),
  output: z.object({
    agent_id: z.string(),
    base: z.string().nullable().describe('Branch that it is compared with; null for a root'),
    from_sha: z.string().describe('Commit that it is compared with'),
    head_sha: z.string().describe('What is committed'),
    uncommitted: z
      .boolean()
      .describe('What is not committed is in it; false where its worktree is gone'),
    ...shownDiff,
  }),
  handler: async ({ core }, { agent, ...part }) => {
    const read = await core.view.diff(agent)
    return { ...read, ...partOfDiff(read.diff, part, agent) }
  },
})
