import type { Comment, PullRequestSnapshot, Review } from '../adapters/forge/forge.ts'

/**
 * What is kept of a review or comment by somebody who may not write to the repository: that it
 * exists, and not a word of it.
 */
export const reviewForAgents = (review: Review): Review =>
  review.trusted
    ? review
    : {
        ...review,
        body: '',
        comments: review.comments.map((comment) => ({ ...comment, body: '' })),
      }
export const commentForAgents = (comment: Comment): Comment =>
  comment.trusted ? comment : { ...comment, body: '' }

export const redactUntrusted = (pull: PullRequestSnapshot): PullRequestSnapshot => ({
  ...pull,
  reviews: pull.reviews.map(reviewForAgents),
  comments: pull.comments.map(commentForAgents),
})
