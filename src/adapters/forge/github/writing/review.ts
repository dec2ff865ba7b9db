import { ExomonadError } from '../../../../domain/errors.ts'
import { onLastLine, placeText } from '../../../../domain/formats/line-range.ts'
import type { Actor, Sha } from '../../../../domain/ids.ts'
import type { Forge, LineComment, Review } from '../../forge.ts'
import type { GithubClient, RestAnswer } from '../client/client.ts'
import type { GithubRepository } from '../repository.ts'
import type { MarkSigner } from '../../mark-key.ts'
import { markReview } from '../../review-mark.ts'
import { commentableLines } from './diff-lines.ts'
import { fitText, MARK } from './fit.ts'
import { lookAt, PULL } from './pull.ts'
import { isLost, refusalIn } from './refusal.ts'

interface RawReview {
  readonly id: number
  readonly body: string | null
  readonly commit_id: string | null
  readonly submitted_at?: string
}

type ReviewOptions = Parameters<Forge['review']>[0]
type NewComment = ReviewOptions['comments'][number]

/** What stands on no line of the diff is said in the body. */
const folded = (body: string, comments: readonly NewComment[]): string =>
  [body, ...comments.map((comment) => `\`${placeText(comment)}\`: ${comment.body}`)]
    .filter((part) => part !== '')
    .join('\n\n')

/**
 * Reviews of agents and of the human at exomonad: comments with a mark, for they all come from the
 * token’s account, which can neither approve nor refuse what it filed itself.
 */
export function createReview({
  repository,
  client,
  clock,
  nameOf,
  signer,
  changed,
}: {
  repository: GithubRepository
  client: Pick<GithubClient, 'rest' | 'pages'>
  clock: () => number
  nameOf: (actor: Actor) => Promise<string>
  signer: () => Promise<MarkSigner>
  changed: (number: number) => void
}): Pick<Forge, 'review'> {
  const ofPull = (number: number) => ({ pull_number: number })

  const send = async (
    number: number,
    commit: string,
    body: string,
    comments: readonly NewComment[],
  ): Promise<RestAnswer<RawReview>> => {
    const review = {
      ...ofPull(number),
      commit_id: commit,
      event: 'COMMENT',
      body,
      comments: comments.map(({ path, line, startLine, side: of, body: words }) => {
        const side = of === 'left' ? 'LEFT' : 'RIGHT'
        return {
          path,
          ...(startLine == null ? {} : { start_line: startLine, start_side: side }),
          line,
          side,
          body: fitText(words),
        }
      }),
    }
    try {
      return await client.rest<RawReview>(`POST ${PULL}/reviews`, review, { accept: [422] })
    } catch (error) {
      if (!isLost(error)) throw error
      const reviews = await client
        .pages<RawReview>(`GET ${PULL}/reviews`, ofPull(number))
        .catch(() => [])
      const made = reviews.findLast((one) => one.body === body && one.commit_id === commit)
      if (made === undefined) throw error
      return { status: 200, data: made, headers: {} }
    }
  }

  /**
   * Ids of the comments, in the order they were sent; without ids GitHub is asked at the next look.
   */
  const commentsOf = async (
    number: number,
    review: number,
    sent: readonly NewComment[],
    author: Actor,
  ): Promise<LineComment[]> => {
    if (sent.length === 0) return []
    const made = await client
      .pages<{ id: number; path: string; body: string }>(
        `GET ${PULL}/reviews/{review_id}/comments`,
        { ...ofPull(number), review_id: review },
      )
      .catch(() => [])
    const left = [...made]
    return sent.flatMap(({ path, line, startLine = null, side, body }) => {
      const index = left.findIndex((one) => one.path === path && one.body === fitText(body))
      const [found] = index < 0 ? [] : left.splice(index, 1)
      return found === undefined
        ? []
        : [
            {
              id: String(found.id),
              ...{ path, line, startLine, body, author },
              ...(side === undefined ? {} : { side }),
            },
          ]
    })
  }

  return {
    async review({ number, author, state, body, comments }) {
      const pull = await lookAt(client, number)
      const authorName = await nameOf(author)
      const sum = (await signer()).sum({ author, state }, { number, commit: pull.head.sha })
      const text = (rest: readonly NewComment[]): string => fitText(folded(body, rest), MARK)
      const words = (rest: readonly NewComment[]): string =>
        markReview(text(rest), { author, state, sum }, authorName)

      let onLines = comments.filter(({ line }) => line !== null)
      let rest = comments.filter(({ line }) => line === null)
      let answer = await send(number, pull.head.sha, words(rest), onLines)
      if (answer.status === 422 && onLines.length > 0) {
        const hunkOf = await commentableLines(client, number)
        const isOnDiff = (comment: NewComment): boolean =>
          hunkOf(comment, comment.line) !== undefined
        rest = comments.filter((comment) => !isOnDiff(comment))
        onLines = comments
          .filter(isOnDiff)
          .map((comment) =>
            hunkOf(comment, comment.startLine ?? comment.line) === hunkOf(comment, comment.line)
              ? comment
              : onLastLine(comment),
          )
        answer = await send(number, pull.head.sha, words(rest), onLines)
      }
      if (answer.status === 422 && onLines.length > 0) {
        onLines = []
        rest = [...comments]
        answer = await send(number, pull.head.sha, words(rest), [])
      }
      if (answer.status === 422) {
        throw new ExomonadError(
          'INVALID_ARG',
          `GitHub (${repository.host}) refuses the review of #${number}: ${refusalIn(answer).words}`,
          { number },
        )
      }
      changed(number)
      const { id, commit_id: commit, submitted_at: at } = answer.data
      const review: Review = {
        id: String(id),
        author,
        authorName,
        state,
        body: text(rest),
        commit: (commit ?? pull.head.sha) as Sha,
        submittedAt: at === undefined ? clock() : Date.parse(at),
        comments: await commentsOf(number, id, onLines, author),
        trusted: true,
      }
      return review
    },
  }
}
