import type { LineComment, PullRequestSnapshot, Review } from '../adapters/forge/forge.ts'
import type { NewEvent } from '../events/event.ts'
import { commentForAgents, reviewForAgents } from './redact-untrusted.ts'
import type { DiffContext } from './diff-context.ts'
import type { Facts } from './pull-facts.ts'

/** Reviews and comments that were not there before. */
export function wordEvents(
  old: PullRequestSnapshot | null,
  next: PullRequestSnapshot,
  context: DiffContext,
  facts: Facts,
  key: (rest: string) => string,
): NewEvent[] {
  const isNews = (at: number): boolean => old !== null || at >= context.newsSince
  return [
    ...reviewEvents(old, next, isNews, facts, key),
    ...commentEvents(old, next, isNews, facts, key),
  ]
}

/** `isNews`: of words said then (ms since the epoch). */
function reviewEvents(
  old: PullRequestSnapshot | null,
  next: PullRequestSnapshot,
  isNews: (at: number) => boolean,
  facts: Facts,
  key: (rest: string) => string,
): NewEvent[] {
  const events: NewEvent[] = []
  const before = new Map((old?.reviews ?? []).map((review) => [review.id, review]))
  for (const review of next.reviews
    .filter(({ submittedAt }) => isNews(submittedAt))
    .map(reviewForAgents)) {
    const known = before.get(review.id)
    if (known === undefined || known.state !== review.state) {
      const payload = {
        ...facts,
        review_id: review.id,
        state: review.state,
        author: review.authorName,
        body: review.body,
        comments: review.trusted
          ? review.comments.map(({ id, path, line, startLine, side, body, author }) => ({
              id,
              path,
              line,
              start_line: startLine ?? null,
              ...(side === 'left' ? { side } : {}),
              body,
              author: nameIn(review, author),
            }))
          : [],
        trusted: review.trusted,
        stale: review.commit !== next.head.sha,
      }
      events.push({
        type: 'pr.review',
        agentId: next.agentId,
        actor: review.author,
        payload,
        dedupeKey: key(`review:${review.id}:${review.state}`),
      })
      continue
    }
    const knownIds = new Set(known.comments.map(({ id }) => id))
    for (const comment of review.comments.filter(({ id }) => !knownIds.has(id))) {
      const { path, line, startLine, side, body } = comment
      const payload = {
        ...facts,
        comment_id: comment.id,
        path,
        line,
        start_line: startLine ?? null,
        ...(side === 'left' ? { side } : {}),
        body,
        author: nameIn(review, comment.author),
        trusted: review.trusted,
      }
      events.push({
        type: 'pr.thread_comment',
        agentId: next.agentId,
        actor: comment.author,
        payload,
        dedupeKey: key(`tc:${comment.id}`),
      })
    }
  }
  return events
}

function commentEvents(
  old: PullRequestSnapshot | null,
  next: PullRequestSnapshot,
  isNews: (at: number) => boolean,
  facts: Facts,
  key: (rest: string) => string,
): NewEvent[] {
  const known = new Set((old?.comments ?? []).map(({ id }) => id))
  const news = next.comments.filter(
    ({ id, at, author }) => !known.has(id) && isNews(at) && author !== next.agentId,
  )
  return news.map(commentForAgents).map((comment) => {
    const payload = {
      ...facts,
      comment_id: comment.id,
      author: comment.authorName,
      body: comment.body,
      trusted: comment.trusted,
    }
    return {
      type: 'pr.comment',
      agentId: next.agentId,
      actor: comment.author,
      payload,
      dedupeKey: key(`ic:${comment.id}`),
    }
  })
}

const nameIn = (review: Review, author: LineComment['author']): string =>
  author === review.author ? review.authorName : author.replace(/^forge:/, '')
