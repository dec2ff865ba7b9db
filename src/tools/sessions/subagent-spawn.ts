import { z } from 'zod'
import { defineTool } from '../define.ts'
import { DESCRIPTION, subagentAnswer, subagentTask } from '../shapes.ts'

export const subagentSpawn = defineTool({
  name: 'subagent_spawn',
  description:
    'Have a subagent do a task of several steps in a conversation of its own, with your tools and in your worktree, and wait for its final text. Use it where finding out takes much reading and you only need the answer, or where several such tasks can be called for at once; to go on working meanwhile use spawn_llm_session, for work on a branch of its own spawn_workers.',
  audience: ['tl', 'human'],
  listed: true,
  input: z.object({
    ...subagentTask,
    maxTurns: z
      .number()
      .int()
      .min(1)
      .max(1000)
      .default(10)
      .describe('After so many turns it is stopped, and the answer says so'),
    systemPrompt: z.string().min(1).optional().describe('Goes in front of all that it is sent'),
  }),
  output: subagentAnswer,
  refused: ({ core, caller }) => core.subagents.requireDepth(caller),
  command: {
    name: 'subagent spawn',
    summary:
      'Have a subagent do a task of several steps, with your tools and in your worktree, and wait for its answer',
    fields: {
      task: '<task...>',
      description: DESCRIPTION,
      maxTurns: '-n, --max-turns <number>  After so many turns it is stopped',
      systemPrompt: '-s, --system-prompt <text>',
    },
    given: { description: '' },
    notes:
      'Shows what it and its own subagents do, then prints its answer. Ctrl-C ends it, and all below it.',
    examples: ['exomonad subagent spawn "Find out which tests are slow, and why"'],
  },
  handler: ({ core, caller, signal, progress }, input) =>
    core.subagents.spawn(caller, input, { signal, progress }),
})
