import {
  isLineOf,
  linesAbout,
  type DraftComment,
  type Verdict,
} from '../../../text/diff/draft-comment.ts'
import { diffRows, type DiffRow } from '../../../text/diff/diff-rows.ts'

/** A pull request’s diff with what the person is about to say of it. */
export interface Review {
  readonly number: number
  /** What the diff is of; empty until it was read. */
  readonly head: string
  readonly rows: readonly DiffRow[]
  /** Index of a row. */
  readonly cursor: number
  /** Where a range begins that goes to the cursor; null where none is open. */
  readonly anchor: number | null
  /** Not sent yet. */
  readonly comments: readonly DraftComment[]
  /** Why there is no diff. */
  readonly trouble: string | null
  /** What was read while something was written about the diff that is shown. */
  readonly aside: { readonly head: string; readonly diff: string } | null
}

export type ReviewAction =
  | { type: 'review-open'; number: number }
  | { type: 'review-read'; number: number; head: string; diff: string }
  | { type: 'review-failed'; number: number; why: string }
  | { type: 'review-move'; by: number }
  | { type: 'review-jump'; to: 'hunk' | 'file'; direction: 1 | -1 }
  | { type: 'review-range'; open: boolean }
  | { type: 'review-comment'; number: number; comment: DraftComment }
  /** Removes those at the cursor. */
  | { type: 'review-uncomment' }
  | {
      type: 'review-sent'
      number: number
      verdict: Verdict
      head: string
      comments: readonly DraftComment[]
    }

const EMPTY_DIFF: Omit<Review, 'number'> = {
  head: '',
  rows: [],
  cursor: 0,
  anchor: null,
  comments: [],
  trouble: null,
  aside: null,
}

export const newReview = (number: number): Review => ({ number, ...EMPTY_DIFF })

/** The review after an action of its own. */
export function changeReview(review: Review, action: ReviewAction): Review {
  switch (action.type) {
    case 'review-open':
      return { ...review, trouble: null }
    case 'review-failed':
      return { ...review, trouble: action.why }
    case 'review-read': {
      const rows = diffRows(action.diff)
      const same = action.head === review.head
      const cursor = Math.min(review.cursor, Math.max(0, rows.length - 1))
      return {
        ...review,
        head: action.head,
        rows,
        trouble: null,
        aside: null,
        cursor,
        anchor: same ? review.anchor : null,
      }
    }
    case 'review-move':
      return { ...review, cursor: bounded(review, review.cursor + action.by) }
    case 'review-jump':
      return { ...review, cursor: jump(review, action.to, action.direction) }
    case 'review-range':
      return { ...review, anchor: action.open ? review.cursor : null }
    case 'review-comment':
      return { ...review, comments: [...review.comments, action.comment], anchor: null }
    case 'review-uncomment': {
      const here = commentsAt(review, review.cursor)
      return here.length === 0
        ? review
        : { ...review, comments: review.comments.filter((one) => !here.includes(one)) }
    }
    case 'review-sent':
      return {
        ...review,
        comments: review.comments.filter((one) => !action.comments.includes(one)),
      }
  }
}

const bounded = ({ rows }: Review, index: number): number =>
  Math.max(0, Math.min(rows.length - 1, index))

/** Where the next or previous hunk or file begins; where there is none, it stays. */
function jump({ rows, cursor }: Review, to: 'hunk' | 'file', direction: 1 | -1): number {
  for (let index = cursor + direction; index >= 0 && index < rows.length; index += direction)
    if (rows[index]?.kind === to) return index
  return cursor
}

/**
 * Which lines a comment at the cursor, or on the range, is about; null where there are none. Of a
 * range in which lines were replaced those that came.
 */
export function commentedLines({
  rows,
  cursor,
  anchor,
}: Pick<Review, 'rows' | 'cursor' | 'anchor'>): Omit<DraftComment, 'body'> | null {
  const [first, last] = [Math.min(anchor ?? cursor, cursor), Math.max(anchor ?? cursor, cursor)]
  const path = rows[cursor]?.path ?? ''
  const about = rows.slice(first, last + 1).filter((row) => row.path === path)
  return linesAbout(path, about)
}

/** What is to be sent and stands at that row; of lines that are no longer there at their file. */
export function commentsAt({ rows, comments }: Review, index: number): DraftComment[] {
  const row = rows[index]
  if (row === undefined) return []
  return comments.filter((comment) => {
    if (comment.path !== row.path) return false
    if (row.kind !== 'file') return isLineOf(comment, row)
    return !rows.some((one) => one.path === comment.path && isLineOf(comment, one))
  })
}
