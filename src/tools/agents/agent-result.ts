import { z } from 'zod'
import { defineTool } from '../define.ts'

export const agentResult = defineTool({
  name: 'agent_result',
  description:
    'Read what came of an agent, session or background task below you that has ended: summary, output and changed files, as often as you like. Use it once you are notified that it ended; before that there is no result.',
  audience: ['tl', 'human'],
  effect: 'reads',
  listed: true,
  input: z.object({ agent_id: z.string().min(1).describe('Id, branch or name') }),
  output: z.object({
    agent_id: z.string(),
    status: z.enum(['completed', 'failed', 'killed']),
    summary: z.string(),
    output: z
      .string()
      .describe('Of a background task the last 1000 lines, `[stderr] ` in front of errors'),
    files_modified: z.array(z.string()).describe('Relative to the worktree, committed or not'),
    elapsed_secs: z.number(),
  }),
  command: {
    name: 'result',
    summary: 'What an agent came to: its answer or output, and the files it changed',
    fields: { agent_id: '<agent>' },
    notes:
      'How it ended, what it changed, and what it wrote at last. While it runs, exomonad logs AGENT -f shows that. Asking takes nothing away.',
    examples: ['exomonad result npm-test'],
  },
  handler: ({ core, caller }, { agent_id: address }) => core.sessions.result(caller, address),
})
