import { z } from 'zod'
import { ExomonadError } from '../../domain/errors.ts'
import { diffOfFile, diffPage } from '../../domain/formats/diff-parts.ts'
import { changedFiles } from '../../domain/formats/unified-diff.ts'
import { defineTool } from '../define.ts'
import { PULL } from '../shapes.ts'

export const prDiff = defineTool({
  name: 'pr_diff',
  description:
    'The unified diff of a pull request, from the merge base with its base branch to its head. Read it before you review or merge; look at a large one with `stat` first.',
  audience: ['tl', 'human'],
  effect: 'reads',
  listed: true,
  input: z.object({
    pr_number: z.number().int().positive(),
    stat: z
      .boolean()
      .default(false)
      .describe('Only which files change, and by how many lines, in place of the diff'),
    path: z
      .string()
      .min(1)
      .optional()
      .describe('Only the diff of this file, by its path in `files`'),
    from_line: z
      .number()
      .int()
      .min(0)
      .optional()
      .describe('Leave out so many lines of the diff; for a page of it'),
    max_lines: z.number().int().min(1).optional().describe('At most so many lines of the diff'),
  }),
  output: z.object({
    number: z.number().int(),
    head_sha: z.string().describe('What the diff is of; give it to pr_review and merge_pr'),
    diff: z.string().describe('Empty where `stat` was asked for'),
    total_lines: z.number().int().optional().describe('Of the diff, where a page was asked for'),
    next_line: z
      .number()
      .int()
      .nullable()
      .optional()
      .describe('`from_line` of the next page; null after the last'),
    files: z
      .array(
        z.object({
          path: z.string(),
          old_path: z.string().nullable().describe('Of what was renamed or copied'),
          status: z.enum(['added', 'deleted', 'modified', 'renamed', 'copied']),
          additions: z.number().int().describe('Lines'),
          deletions: z.number().int().describe('Lines'),
          binary: z.boolean(),
        }),
      )
      .optional()
      .describe('Where `stat` was asked for'),
  }),
  command: {
    name: 'pr diff',
    summary: 'Print a pull request’s diff',
    fields: { pr_number: PULL, stat: '--stat' },
    examples: [
      'exomonad pr diff auth',
      'exomonad pr diff 3 --stat',
      'exomonad pr diff 3 --name-only | grep test',
    ],
  },
  handler: async ({ core, caller }, { pr_number: number, stat, path, ...page }) => {
    const read = await core.pulls.diff(caller, number)
    if (stat) {
      const files = changedFiles(read.diff).map(({ oldPath, ...file }) => ({
        ...file,
        old_path: oldPath,
      }))
      return { ...read, diff: '', files }
    }
    const diff = path === undefined ? read.diff : diffOfFile(read.diff, path)
    if (diff === undefined)
      throw new ExomonadError('INVALID_ARG', `#${number} does not change ${path}.`, {
        field: 'path',
        found: path,
      })
    return { ...read, ...diffPage(diff, page) }
  },
})
