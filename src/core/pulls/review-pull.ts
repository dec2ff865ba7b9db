import type { PullRequestSnapshot } from '../../adapters/forge/forge.ts'
import type { Agent } from '../../domain/records.ts'
import { ExomonadError } from '../../domain/errors.ts'
import type { Pulls } from './pull-use-cases.ts'
import type { Caller } from '../../domain/caller.ts'
import type { Deps } from '../deps.ts'
import { actorOf } from '../agents/directory.ts'
import type { RequireLookedAt } from '../agents/looked-at.ts'
import { earlierReview, isSaid } from './earlier-review.ts'
import { conversationsOf } from './review-replies.ts'
import { readPull, requireFromWithin } from './read-pull.ts'
import { authorOf, requireAbove } from './pull-authority.ts'
import { placed } from './new-line-comment.ts'

/** Reviews, and answers to conversations of earlier ones. */
export function createPullReview({
  store,
  forge,
  polling,
  requireLookedAt,
}: Pick<Deps, 'store' | 'forge' | 'polling'> & {
  requireLookedAt: RequireLookedAt
}): Pulls['review'] {
  const requireReviewer = (
    agents: readonly Agent[],
    caller: Caller,
    pull: PullRequestSnapshot,
    approves: boolean,
  ) => {
    const author = authorOf(agents, pull)
    if (caller.kind === 'human') return
    if (author?.id === caller.agent.id) {
      if (approves)
        throw new ExomonadError(
          'NOT_ALLOWED',
          `#${pull.number} is your own: you can’t approve it. Your parent reviews it.`,
          { number: pull.number },
        )
      return
    }
    if (caller.agent.role === 'dev') {
      throw new ExomonadError(
        'NOT_ALLOWED',
        `#${pull.number} is not yours: agents of the role dev answer reviews of their own pull request.`,
        {
          number: pull.number,
        },
      )
    }
    if (author !== undefined) requireAbove(agents, caller, author, pull, 'review the work of')
  }

  return async (caller, input, once) => {
    const since = once?.since ?? null
    const pull = await readPull(forge, input.number)
    requireFromWithin(caller, pull)
    const author = actorOf(caller)
    const state = (
      { approve: 'approved', request_changes: 'changes_requested', comment: 'commented' } as const
    )[input.verdict ?? 'comment']
    const before =
      since === null ? undefined : earlierReview(pull, { ...input, author, state }, since)
    // What was made then was about what was looked at then, whatever came since.
    if (before === undefined) await requireLookedAt(pull, input.head)
    const agents = await store.agents.list()
    requireReviewer(agents, caller, pull, input.verdict === 'approve')
    const hasWords = input.body.trim() !== '' || input.comments.length > 0
    // Replies to conversations need no review around them.
    const answersAlone =
      !hasWords && input.replies.length > 0 && (input.verdict ?? 'comment') === 'comment'
    if (input.verdict !== 'approve' && !hasWords && !answersAlone) {
      throw new ExomonadError(
        'INVALID_ARG',
        'A review that doesn’t approve needs words: a body, or comments on lines.',
        { number: input.number },
      )
    }
    if (pull.state !== 'open' && before === undefined)
      throw new ExomonadError(
        'PR_NOT_MERGEABLE',
        `#${pull.number} is ${pull.state}: there is nothing to review.`,
        { number: pull.number },
      )
    const replies = conversationsOf(pull, input.replies)
    const comments = input.comments.map((comment) => placed(comment, input.number))
    once?.begun()
    const review = answersAlone
      ? null
      : (before ??
        (await forge.review({ number: input.number, author, state, body: input.body, comments })))
    for (const reply of replies)
      if (since === null || !isSaid(pull, author, reply))
        await forge.reply({ number: input.number, author, ...reply })
    await polling.poll([input.number])
    return {
      review_id: review?.id ?? null,
      state: review?.state ?? null,
      replies: replies.length,
    }
  }
}
