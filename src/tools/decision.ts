import { z } from 'zod'
import { defineTool } from './define.ts'

/** A tool by which a person decides on what waits for them; `verb`: as its command is called. */
export const defineDecision = <const Verb extends string>(
  verb: Verb,
  decision: 'approved' | 'denied',
  words: {
    readonly description: string
    readonly summary: string
    readonly examples: readonly [string, string]
  },
) =>
  defineTool({
    name: verb,
    description: words.description,
    audience: ['human'],
    listed: false,
    input: z.object({
      approval_id: z.string().min(1).describe('Its id, from `exomonad inbox`'),
      reason: z.string().optional().describe('Why; the agent gets it'),
    }),
    output: z.object({ approval_id: z.string(), decision: z.string() }),
    command: {
      name: verb,
      summary: words.summary,
      fields: { approval_id: '<approval>', reason: '-r, --reason <text>' },
      examples: words.examples,
    },
    handler: ({ core }, input) => core.messages.decide(input.approval_id, decision, input.reason),
  })
