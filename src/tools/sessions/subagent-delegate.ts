import { z } from 'zod'
import { defineTool } from '../define.ts'
import { DESCRIPTION, subagentAnswer, subagentTask } from '../shapes.ts'

export const subagentDelegate = defineTool({
  name: 'subagent_delegate',
  description:
    'Put one prompt to another agent program and wait for its one answer; it knows nothing but the prompt and has none of these tools. Use it for what takes no steps, such as a summary or a second opinion, also of another program or mode; for work of several steps use subagent_spawn.',
  audience: ['tl', 'human'],
  listed: true,
  input: z.object({
    ...subagentTask,
    serverName: z
      .string()
      .min(1)
      .optional()
      .describe('The [acp.NAME] to ask; default: the one that belongs to your own program'),
    agentId: z.string().min(1).optional().describe('A mode that it offers; default: its own'),
  }),
  output: subagentAnswer,
  refused: ({ core, caller }) => core.subagents.requireDepth(caller),
  command: {
    name: 'subagent delegate',
    summary: 'Put one prompt to another agent program, and print its one answer',
    fields: {
      task: '<task...>',
      description: DESCRIPTION,
      serverName: '--server <acp>',
      agentId: '--agent <mode>',
    },
    given: { description: '' },
    notes: 'It knows nothing but the prompt, and has no tools of exomonad’s. Ctrl-C ends it.',
    examples: ['git diff | exomonad subagent delegate - --server gemini'],
  },
  handler: ({ core, caller, signal, progress }, input) =>
    core.subagents.delegate(caller, input, { signal, progress }),
})
