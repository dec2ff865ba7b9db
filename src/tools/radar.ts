import { z } from 'zod'
import { defineTool } from './define.ts'

const status = z.enum(['clean', 'conflict', 'unknown'])
const span = z.array(z.number().int()).length(2)

const side = z.object({
  change: z.enum(['added', 'deleted', 'renamed', 'modified', 'mode', 'none']),
  new_path: z.string().nullable().describe('Of a renamed file'),
  binary: z.boolean(),
  hunks: z
    .array(
      z.object({
        base: span.describe('First line, and lines, in the merge base'),
        own: span,
        text: z.array(z.string()),
      }),
    )
    .describe('Those that meet one of the other side; all of them where none does'),
})

export const radar = defineTool({
  name: 'radar',
  description:
    'Whose work would conflict if it were merged now, uncommitted files included: siblings with each other, and each agent with its base. Look before you split work further or merge; with a and b it shows what both sides did.',
  audience: ['tl', 'dev', 'human'],
  effect: 'reads',
  listed: true,
  input: z.object({
    a: z.string().min(1).optional().describe('Only pairs of this agent'),
    b: z
      .string()
      .min(1)
      .optional()
      .describe('The pair of the two in detail: an agent, or the base branch of the first'),
  }),
  output: z.object({
    pairs: z
      .array(
        z.object({
          a: z.string().describe('An agent'),
          b: z.string().describe('Its sibling, or its base branch'),
          status: status.describe('unknown: one of the two can’t be looked at now, as in a rebase'),
          files: z.array(z.string()).describe('Where they conflict'),
        }),
      )
      .optional()
      .describe('Without b'),
    pair: z
      .object({
        ...{ a: z.string(), b: z.string(), status },
        why: z.string().nullable().describe('Of what is unknown'),
        files: z.array(
          z.object({
            path: z.string(),
            first: z.string().nullable().describe('Who touched it first, as far as that was seen'),
            ...{ a: side, b: side },
          }),
        ),
        skipped: z
          .object({ a: z.array(z.string()), b: z.array(z.string()) })
          .describe('Uncommitted files over 50 MB, which are not looked at'),
      })
      .optional()
      .describe('With a and b'),
    at: z.number().describe('When it was looked at. Milliseconds since the epoch'),
  }),
  command: {
    name: 'radar',
    summary: 'See whose work would conflict, before it is filed',
    fields: { a: '[agent]', b: '[other]' },
    examples: ['exomonad radar', 'exomonad radar login', 'exomonad radar login logout'],
  },
  handler: ({ core, caller }, { a, b }) =>
    a !== undefined && b !== undefined
      ? core.radar.detail(caller, a, b)
      : core.radar.pairs(caller, a ?? b),
})
