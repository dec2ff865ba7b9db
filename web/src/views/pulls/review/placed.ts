import { linesWords } from '../../../../../src/domain/formats/line-range.ts'
import {
  sentComment,
  type DraftComment,
} from '../../../../../src/surfaces/text/diff/draft-comment.ts'
import type { FileDiff } from '../../../../../src/surfaces/text/diff/file-diffs.ts'
import { textOf } from '../../../parts/diff/lines.ts'

/** A comment that is written, or was and is not sent. */
export interface Comment extends DraftComment {
  readonly id: string
  /** Its form is open. */
  readonly isOpen: boolean
  /** Head that it was written about, and what stood on its lines there. */
  readonly head: string
  readonly text: readonly string[]
}

/** A review that is not sent yet. */
export interface Draft {
  readonly comments: readonly Comment[]
  readonly body: string
}

/** What is left of it once `sent` was sent: what was written meanwhile, or has no words yet. */
export const afterSending = (draft: Draft, sent: Draft): Draft => ({
  comments: draft.comments.filter(
    ({ id, body }) =>
      body.trim() === '' || !sent.comments.some((one) => one.id === id && one.body === body),
  ),
  body: draft.body === sent.body ? '' : draft.body,
})

/** Where a comment stands in the version that is shown. */
export interface Placed {
  readonly comment: Comment
  /** `gone`: its lines are not in that version, or do not stand in its diff. */
  readonly standing: 'as written' | 'moved' | 'gone'
  /** Its lines there; null where they are gone. */
  readonly at: Pick<Comment, 'from' | 'line'> | null
}

/** `files`: the diff of `head`. What was written about another head goes with its lines. */
export const placedIn = (
  comments: readonly Comment[],
  head: string,
  files: () => readonly FileDiff[],
): Placed[] =>
  comments.map((comment) => {
    if (comment.head === head) return { comment, standing: 'as written', at: comment }
    const at = findLines(comment, files())
    return at === null
      ? { comment, standing: 'gone', at }
      : { comment, standing: at.line === comment.line ? 'as written' : 'moved', at }
  })

/** Where the same lines are, the nearest to where they were; null where they are not. */
function findLines({ path, from, side, text }: Comment, files: readonly FileDiff[]): Placed['at'] {
  const number = side === 'left' ? 'old' : 'line'
  const found = (files.find((file) => file.path === path)?.hunks ?? []).flatMap(({ rows }) => {
    const own = rows.filter((row) => row[number] !== null)
    const isAt = (index: number) =>
      text.every((line, at) => {
        const row = own[index + at]
        return row !== undefined && textOf(row) === line
      })
    return text.length === 0
      ? []
      : own.flatMap((row, index) => (isAt(index) ? (row[number] ?? []) : []))
  })
  const [nearest] = found.toSorted((a, b) => Math.abs(a - from) - Math.abs(b - from))
  return nearest === undefined ? null : { from: nearest, line: nearest + text.length - 1 }
}

/**
 * Those with words, as `pr_review` takes them. Of lines that are gone it is said of the file, with
 * where they were.
 */
export const toSend = (placed: readonly Placed[]) =>
  placed.flatMap(({ comment, at }) => {
    const body = comment.body.trim()
    if (body === '') return []
    if (at !== null) return [sentComment({ ...comment, ...at, body })]
    const { path, line, from, side, head } = comment
    const was = `On ${linesWords(line, from, side)} of ${head.slice(0, 8)}:`
    return [{ path, body: `${was}\n\n${body}` }]
  })
