import type { PullRequestSnapshot } from '../../adapters/forge/forge.ts'
import { ExomonadError } from '../../domain/errors.ts'

/** An answer to the conversation that a line comment is part of. */
export interface ReplyInput {
  /** Id of the line comment, as pr_show and the messages show it. */
  readonly comment_id: string
  readonly body: string
  readonly resolve: boolean
}

/**
 * The conversation that each answer belongs to. INVALID_ARG where there is no such comment or
 * nothing to say; FORGE_UNAVAILABLE where the forge did not say which conversation a comment is
 * part of. Throws before anything was written.
 */
export function conversationsOf(
  pull: PullRequestSnapshot,
  replies: readonly ReplyInput[],
): { thread: string; body: string; resolve: boolean }[] {
  const comments = new Map(
    pull.reviews.flatMap((review) => review.comments).map((comment) => [comment.id, comment]),
  )
  const { number } = pull
  return replies.map(({ comment_id: id, body, resolve }) => {
    const comment = comments.get(id)
    if (comment === undefined) {
      throw new ExomonadError(
        'INVALID_ARG',
        `#${number} has no line comment ${id}. pr_show lists the ids of all.`,
        { number, comment_id: id },
      )
    }
    if (body.trim() === '' && !resolve) {
      throw new ExomonadError(
        'INVALID_ARG',
        `The answer to ${id} says nothing: give it a body, or resolve the conversation.`,
        { number, comment_id: id },
      )
    }
    if (comment.thread === undefined) {
      throw new ExomonadError(
        'FORGE_UNAVAILABLE',
        `The conversations of #${number} could not be read now. Nothing was changed; try again.`,
        { number },
      )
    }
    return { thread: comment.thread, body: body.trim(), resolve }
  })
}
