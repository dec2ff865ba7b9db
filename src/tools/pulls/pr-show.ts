import { z } from 'zod'
import { defineTool } from '../define.ts'
import { checkRun, PULL, pullSummary } from '../shapes.ts'

export const prShow = defineTool({
  name: 'pr_show',
  description:
    'Everything about one pull request: text, reviews with line comments, checks, conflicts.',
  audience: ['tl', 'dev', 'human'],
  effect: 'reads',
  listed: false,
  input: z.object({ pr_number: z.number().int().positive() }),
  output: pullSummary.extend({
    body: z.string(),
    created_at: z.number().describe('Milliseconds since the epoch'),
    updated_at: z.number(),
    conflict_files: z.array(z.string()),
    comments: z
      .array(
        z.object({
          id: z.string(),
          author: z.string(),
          body: z.string(),
          at: z.number(),
          trusted: z.boolean(),
          withheld: z.boolean(),
        }),
      )
      .describe('Said of it as a whole'),
    reviews: z.array(
      z.object({
        id: z.string(),
        author: z.string(),
        agent_id: z.string().nullable().describe('Of an agent of this tree'),
        state: z.string(),
        body: z.string(),
        commit: z.string().describe('The head that it is of'),
        submitted_at: z.number(),
        stale: z.boolean().describe('Of another head than the present one'),
        comments: z.array(
          z.object({
            id: z.string(),
            author: z.string(),
            thread: z
              .string()
              .nullable()
              .describe('Comments of one conversation have the same; null where it is not known'),
            path: z.string(),
            line: z.number().nullable(),
            start_line: z.number().nullable().describe('First line of a range, else null'),
            side: z
              .enum(['left', 'right'])
              .describe('left: its lines are of the old version; right: of the new one'),
            body: z.string(),
            conversation: z
              .enum(['open', 'resolved'])
              .nullable()
              .describe(
                'State of the conversation that it is part of; null where the forge did not say',
              ),
          }),
        ),
        trusted: z
          .boolean()
          .describe(
            'Its author may write to the repository; the verdict of anybody else does not count',
          ),
        withheld: z
          .boolean()
          .describe('Words of somebody without write access are not shown to agents'),
        not_counted: z
          .enum(['no_write_access', 'own', 'dismissed', 'superseded', 'older_head'])
          .nullable()
          .describe('Why the verdict decides nothing; null where it counts, or is only a comment'),
      }),
    ),
    asked_reviewers: z
      .array(z.object({ name: z.string(), code_owner: z.boolean() }))
      .describe('People and teams whom the forge asked for a review that it requires'),
    check_runs: z.array(checkRun),
    queue_checks: z
      .array(checkRun)
      .describe('Those of what it comes to in the merge queue of its base'),
    merge_sha: z.string().nullable(),
  }),
  command: {
    name: 'pr show',
    summary: 'Show a pull request: text, reviews with line comments, checks',
    fields: { pr_number: PULL },
    examples: ['exomonad pr show 3', 'exomonad pr show auth'],
  },
  handler: ({ core, caller }, input) => core.pulls.show(caller, input.pr_number),
})
