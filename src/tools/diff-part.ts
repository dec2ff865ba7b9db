import { z } from 'zod'
import { ExomonadError } from '../domain/errors.ts'
import { diffOfFile, diffPage } from '../domain/formats/diff-parts.ts'
import { changedFiles } from '../domain/formats/unified-diff.ts'

/** How a diff is read file by file, or page by page. */
export const diffPart = {
  stat: z
    .boolean()
    .default(false)
    .describe('Only which files change, and by how many lines, in place of the diff'),
  path: z.string().min(1).optional().describe('Only the diff of this file, by its path in `files`'),
  from_line: z
    .number()
    .int()
    .min(0)
    .optional()
    .describe('Leave out so many lines of the diff; for a page of it'),
  max_lines: z.number().int().min(1).optional().describe('At most so many lines of the diff'),
}

export const shownDiff = {
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
}

type Part = z.output<z.ZodObject<typeof diffPart>>
type Shown = z.output<z.ZodObject<typeof shownDiff>>

/** `whose`: words for what does not change the file. INVALID_ARG for a file that is not in it. */
export function partOfDiff(whole: string, { stat, path, ...page }: Part, whose: string): Shown {
  if (stat) {
    const files = changedFiles(whole).map(({ oldPath, ...file }) => ({
      ...file,
      old_path: oldPath,
    }))
    return { diff: '', files }
  }
  const diff = path === undefined ? whole : diffOfFile(whole, path)
  if (diff === undefined)
    throw new ExomonadError('INVALID_ARG', `${whose} does not change ${path}.`, {
      field: 'path',
      found: path,
    })
  return diffPage(diff, page)
}
