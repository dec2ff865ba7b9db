import { z } from 'zod'
import { defineTool } from '../define.ts'
import { spawnedSession } from '../shapes.ts'

export const spawnLlmSession = defineTool({
  name: 'spawn_llm_session',
  description:
    'Start a session without a terminal that works on a goal in your worktree while you go on; it knows only what you give it, ends with its turn, and you are notified. Use it for reading, checking or drafting that you need later; where you need the answer before you can go on use subagent_spawn, for work on a branch of its own spawn_workers.',
  audience: ['tl', 'human'],
  keyed: true,
  listed: true,
  input: z.object({
    goal: z.string().trim().min(1).describe('What it is to reach and to report'),
    model: z
      .string()
      .min(1)
      .optional()
      .describe(
        'In its program’s own words; default: yours where both run the same program, else its own',
      ),
    context: z
      .record(z.string().min(1), z.string())
      .optional()
      .describe('What it is to know, by name'),
    timeout_secs: z
      .number()
      .positive()
      .max(2_592_000)
      .optional()
      .describe('It fails when it takes longer; default: no limit'),
    tools: z
      .array(z.string().min(1))
      .optional()
      .describe('Of your tools only these, [] for none; default: all of them'),
  }),
  output: spawnedSession,
  command: {
    name: 'llm',
    summary: 'Start a session of a model that answers one question',
    fields: {
      goal: '<goal...>  What it is to find out or do',
      model: '-m, --model <name>  Another model than yours, in the words of its program',
      timeout_secs:
        '-t, --timeout <duration>  It fails when it has taken so long: seconds, or a duration such as 90s or 10m',
      tools: '--tool <tool>  Of your tools only this one, and others by further --tool',
      context: '-c, --context <key=value>  Something that it is to know; may be repeated',
    },
    notes: `A session is a conversation of its own in your worktree, without a terminal. It
knows its goal and what --context gives it, nothing else, and ends with its
answer: exomonad result NAME prints that, again and again, exomonad attach NAME
shows it at work. Which program it is: [headless] acp in the configuration.`,
    examples: [
      'exomonad llm --wait "Which functions of src/ have no test?"',
      'git diff | exomonad llm - --context branch=main --timeout 10m',
    ],
  },
  handler: ({ core, caller, once }, { goal, model, context, timeout_secs: timeoutSecs, tools }) =>
    core.sessions.spawnSession(caller, {
      goal,
      model,
      context,
      timeoutSecs,
      tools,
      since: once?.since,
    }),
})
