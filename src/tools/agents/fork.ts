import { z } from 'zod'
import { defineTool } from '../define.ts'
import { forkedAgent } from '../shapes.ts'

export const fork = defineTool({
  name: 'fork',
  description:
    'Create a child agent in your own worktree, with your whole conversation and the prompt, and go on at once; it reports to you with send, then idles until you kill it or send it more. Use it when a task is self-contained and can run beside your own work, such as searching, reading or trying out several approaches. Do it yourself instead when it needs back-and-forth with you, when you need its result before you can go on, or when it is simple; what changes files is for spawn_workers.',
  audience: ['tl', 'human'],
  keyed: true,
  forAnyAgent: true,
  listed: true,
  input: z.object({
    name: z.string().min(1).describe('Short label for the child, such as "file-reader"'),
    prompt: z.string().min(1).describe('What the child is to do and to report'),
    context: z
      .enum(['inherit', 'fresh'])
      .default('inherit')
      .describe('inherit: with your conversation so far; fresh: with the prompt alone'),
  }),
  output: forkedAgent,
  command: {
    name: 'fork',
    summary: 'Fork an agent beside yours, in the same worktree',
    fields: {
      name: '[name]  What to call it: a word or two; without one, the first words of its prompt, else fork-N',
      prompt:
        '[prompt...]  What it is to do (default: the lines of the open capture, else nothing yet)',
      context:
        '-c, --context <which>  With the conversation of the one it is forked from, or fresh: with the prompt alone',
    },
    examples: ['exomonad fork reader "Find out where sessions are kept"', 'exomonad fork'],
  },
  handler: ({ core, caller, once }, input) => core.forking.fork(caller, input, once?.since),
})
