/** Which version of the file a line is counted in: `right` is the new one. */
export type Side = 'left' | 'right'

/** What a comment on a file is about. */
export interface CommentPlace {
  readonly path: string
  /** Line of the file, from 1: the last one of a range; null for the whole file. */
  readonly line: number | null
  /** The first line of a range, before `line`; null or absent where it is about one line. */
  readonly startLine?: number | null
  /** `left`: lines of the old version, as those that were deleted. Absent: the new one. */
  readonly side?: Side | undefined
}

const OLD = ' (old version)'

/** `path`, `path:7` or `path:3-7`; with the version where that is the old one. */
export const placeText = ({ path, line, startLine, side }: CommentPlace): string =>
  line === null
    ? path
    : `${path}:${startLine == null ? '' : `${startLine}-`}${line}${side === 'left' ? OLD : ''}`

/** `line 7` or `lines 3–7`, `old line 7` or `old lines 3–7`. */
export const linesWords = (line: number, startLine: number | null, side: Side = 'right'): string =>
  `${side === 'left' ? 'old ' : ''}${startLine === null || startLine === line ? `line ${line}` : `lines ${startLine}–${line}`}`

/**
 * The same comment on the last line of its range, with the range said in its words: for a forge
 * that takes it on one line alone.
 */
export function onLastLine<Comment extends CommentPlace & { readonly body: string }>(
  comment: Comment,
): Comment {
  const { line, startLine, body } = comment
  if (line === null || startLine == null) return comment
  // A code block begins on a line of its own.
  const gap = body.startsWith('```') ? '\n\n' : ' '
  return { ...comment, startLine: null, body: `Lines ${startLine}–${line}:${gap}${body}` }
}
