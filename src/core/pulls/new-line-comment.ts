import { ExomonadError } from '../../domain/errors.ts'
import type { CommentPlace, Side } from '../../domain/formats/line-range.ts'

/** A comment of a review that is being written. */
export interface NewLineComment {
  readonly path: string
  /** Absent for the whole file. */
  readonly line?: number | undefined
  /** First line of a range that ends at `line`. */
  readonly start_line?: number | undefined
  /** Version that its lines are of; absent: the new one. */
  readonly side?: Side | undefined
  readonly body: string
}

/** Where it stands; a range of one line is that line. INVALID_ARG for a range that is none. */
export function placed(
  { path, line, start_line: start, side = 'right', body }: NewLineComment,
  number: number,
): CommentPlace & { readonly body: string } {
  if (start !== undefined && (line === undefined || start > line))
    throw new ExomonadError(
      'INVALID_ARG',
      line === undefined
        ? `The comment on ${path} begins at line ${start} and ends nowhere: give \`line\`, the last line of the range, too.`
        : `The comment on ${path} begins at line ${start}, after its last line ${line}: \`start_line\` is the first line of the range, \`line\` the last.`,
      { number, path },
    )
  return {
    path,
    line: line ?? null,
    startLine: start === line ? null : (start ?? null),
    // A whole file has no sides.
    ...(side === 'left' && line !== undefined ? { side } : {}),
    body,
  }
}
