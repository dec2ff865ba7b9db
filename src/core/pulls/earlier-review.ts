import type { PullRequestSnapshot, Review } from '../../adapters/forge/forge.ts'
import type { Actor } from '../../domain/ids.ts'

/** Between this machine’s clock and a forge’s. Milliseconds. */
const CLOCKS = 60_000

interface Sent {
  readonly author: Actor
  readonly state: Review['state']
  readonly body: string
  readonly comments: readonly { readonly body: string }[]
  /** What was looked at, where that was said. */
  readonly head?: string | undefined
}

/**
 * The review that a call made whose outcome the daemon’s end hid. A forge may keep comments on lines
 * that it does not show within the body. The same words about an earlier head are another review: it
 * is of what was looked at, or of what that was rebased to. `since`: when that call began, milliseconds since the
 * epoch.
 */
export const earlierReview = (
  { reviews, head: now }: Pick<PullRequestSnapshot, 'reviews' | 'head'>,
  { author, state, body, comments, head }: Sent,
  since: number,
): Review | undefined =>
  reviews.findLast(
    (review) =>
      review.author === author &&
      review.state === state &&
      (head === undefined || review.commit.startsWith(head) || review.commit === now.sha) &&
      review.submittedAt >= since - CLOCKS &&
      review.body.startsWith(body.trim()) &&
      comments.every(
        (comment) =>
          review.body.includes(comment.body) ||
          review.comments.some((one) => one.body === comment.body),
      ),
  )

/** Whether the last word of a conversation is this one already, and it stands as it is to. */
export function isSaid(
  { reviews }: Pick<PullRequestSnapshot, 'reviews'>,
  author: Actor,
  { thread, body, resolve }: { thread: string; body: string; resolve: boolean },
): boolean {
  const last = reviews.flatMap(({ comments }) => comments).findLast((one) => one.thread === thread)
  return (
    last !== undefined &&
    (body === '' || (last.author === author && last.body === body)) &&
    (!resolve || last.resolved === true)
  )
}
