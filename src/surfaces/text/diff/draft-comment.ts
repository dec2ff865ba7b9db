import type { ToolInput } from '../../../tools/types.ts'
import type { DiffRow } from './diff-rows.ts'

/** A comment of a review that is not sent yet. */
export interface DraftComment {
  readonly path: string
  /** The last line that it is about, and the first. */
  readonly line: number
  readonly from: number
  /** `left`: they are of the old version. */
  readonly side?: 'left'
  readonly body: string
}

export type Verdict = NonNullable<ToolInput<'pr_review'>['verdict']>

/** As `pr_review` takes it. */
export const sentComment = ({ path, line, from, side, body }: DraftComment) => ({
  path,
  ...(from === line ? {} : { start_line: from }),
  line,
  ...(side === undefined ? {} : { side }),
  body,
})

/**
 * What a comment on these rows of one file is about: those of the new version, and where all were
 * deleted, those of the old one. Null where none is a line.
 */
export function linesAbout(
  path: string,
  rows: readonly Pick<DiffRow, 'line' | 'old'>[],
): Omit<DraftComment, 'body'> | null {
  const now = rows.flatMap(({ line }) => line ?? [])
  const lines = now.length > 0 ? now : rows.flatMap(({ old }) => old ?? [])
  const [from] = lines
  const line = lines.at(-1)
  if (from === undefined || line === undefined) return null
  return { path, from, line, ...(now.length > 0 ? {} : { side: 'left' }) }
}

/** Whether that row is the last line of a comment: it stands below it. */
export const isLineOf = (
  { line, side }: Pick<DraftComment, 'line' | 'side'>,
  row: Pick<DiffRow, 'line' | 'old'>,
): boolean => line === (side === 'left' ? row.old : row.line)
