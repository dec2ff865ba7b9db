import { z } from 'zod'
import { defineTool } from '../define.ts'

export const prReview = defineTool({
  name: 'pr_review',
  description:
    'Review a pull request of a child: approve it, request changes, or comment, with comments on lines or ranges; or answer and resolve the conversations on your own with `replies`. Request changes when something must be fixed before you merge; the child gets every comment with file and line, and you are notified when fixes are pushed. You cannot approve your own.',
  audience: ['tl', 'dev', 'human'],
  keyed: true,
  listed: true,
  input: z.object({
    pr_number: z.number().int().positive(),
    head_sha: z
      .string()
      .optional()
      .describe('The head that you looked at, from pr_diff; refused where there are newer commits'),
    verdict: z
      .enum(['approve', 'request_changes', 'comment'])
      .optional()
      .describe('Default: comment; not needed with `replies` alone'),
    body: z.string().default(''),
    comments: z
      .array(
        z.object({
          path: z.string().min(1),
          line: z.number().int().positive().optional(),
          start_line: z
            .number()
            .int()
            .positive()
            .optional()
            .describe('First line of a range that ends at `line`'),
          side: z
            .enum(['left', 'right'])
            .optional()
            .describe(
              'left: the lines are of the old version, as deleted ones are. Default: right, the new one',
            ),
          body: z.string().min(1),
        }),
      )
      .default([]),
    replies: z
      .array(
        z.object({
          comment_id: z
            .string()
            .min(1)
            .describe(
              'Id of the line comment that is answered, from the message about it or pr_show',
            ),
          body: z.string().default('').describe('What was done, or why not'),
          resolve: z.boolean().default(false).describe('The conversation is settled'),
        }),
      )
      .default([])
      .describe('Replies to line comments'),
  }),
  output: z.object({
    review_id: z.string().nullable().describe('Null where there were only replies'),
    state: z.string().nullable(),
    replies: z.number().int().describe('Conversations that were answered or resolved'),
  }),
  handler: ({ core, caller, once }, input) =>
    core.pulls.review(
      caller,
      {
        number: input.pr_number,
        head: input.head_sha,
        verdict: input.verdict,
        body: input.body,
        comments: input.comments,
        replies: input.replies,
      },
      once,
    ),
})
