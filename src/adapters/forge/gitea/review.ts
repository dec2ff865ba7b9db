import { ExomonadError } from '../../../domain/errors.ts'
import { onLastLine, placeText } from '../../../domain/formats/line-range.ts'
import type { Actor, Sha } from '../../../domain/ids.ts'
import type { Forge, LineComment, Review } from '../forge.ts'
import type { MarkSigner } from '../mark-key.ts'
import { markReview, type ReviewMark } from '../review-mark.ts'
import { wordsOf, type GiteaClient } from './client.ts'
import type { GiteaRepository } from './options.ts'
import { lookAt, PULL } from './pull.ts'
import { threadsOf, type RawLineComment, type RawReview } from './reviews.ts'
import type { ReadWords } from './words.ts'

type NewComment = Parameters<Forge['review']>[0]['comments'][number]

/** What stands on no line of the diff is said in the body. */
const folded = (body: string, comments: readonly NewComment[]): string =>
  [body, ...comments.map((comment) => `\`${placeText(comment)}\`: ${comment.body}`)]
    .filter((part) => part !== '')
    .join('\n\n')

/** A comment is on a line of either side; 0 is none. */
const positionOf = ({ line, side }: Pick<NewComment, 'line' | 'side'>) =>
  side === 'left'
    ? { old_position: line ?? 0, new_position: 0 }
    : { old_position: 0, new_position: line ?? 0 }

/**
 * Reviews of agents and of the human at exomonad: comments with a signed mark, for they all come
 * from the token’s account, which can neither approve nor refuse what it filed itself. The API
 * resolves no conversation: that one is resolved is said in it, by a mark.
 */
export function createReviews({
  repository: { host },
  client,
  words,
  clock,
  nameOf,
  signer,
  changed,
}: {
  repository: GiteaRepository
  client: GiteaClient
  words: ReadWords
  clock: () => number
  nameOf: (actor: Actor) => Promise<string>
  signer: () => Promise<MarkSigner>
  changed: (number: number) => void
}): Pick<Forge, 'review' | 'reply'> {
  interface NewReview {
    readonly number: number
    readonly commit: string
    readonly body: string
    readonly comments: readonly {
      readonly path: string
      readonly old_position: number
      readonly new_position: number
      readonly body: string
    }[]
  }

  /** One whose answer was lost may have been written: a second time it would stand there twice. */
  const send = async ({ number, commit, body, comments }: NewReview): Promise<RawReview> => {
    const route = `${PULL}/${number}/reviews`
    try {
      const review = {
        event: 'COMMENT',
        body,
        commit_id: commit,
        comments,
      }
      const { status, data } = await client.rest<RawReview>(`POST ${route}`, {
        body: review,
        accept: [422],
      })
      if (status >= 400)
        throw new ExomonadError(
          'INVALID_ARG',
          `Gitea (${host}) refuses the review of #${number}: ${wordsOf(data)}`,
          { number },
        )
      return data
    } catch (error) {
      if (!(error instanceof ExomonadError) || error.code !== 'FORGE_UNAVAILABLE') throw error
      const reviews = await client.pages<RawReview>(`GET ${route}`).catch(() => [])
      for (const one of reviews.toReversed()) {
        if (one.commit_id !== commit || one.body !== body) continue
        if (
          body !== '' ||
          (await linesOf(number, one.id)).some((line) => line.body === comments[0]?.body)
        )
          return one
      }
      throw error
    }
  }
  const linesOf = async (number: number, review: number): Promise<readonly RawLineComment[]> =>
    (
      await client
        .rest<RawLineComment[] | null>(`GET ${PULL}/${number}/reviews/${review}/comments`)
        .catch(() => ({ data: null }))
    ).data ?? []

  /** Paths that the diff shows: Gitea takes comments on other files, and shows them nowhere. */
  const changedPaths = async (number: number): Promise<ReadonlySet<string>> =>
    new Set(
      (await client.pages<{ filename: string }>(`GET ${PULL}/${number}/files`)).map(
        ({ filename }) => filename,
      ),
    )

  return {
    async review({ number, author, state, body, comments }) {
      const pull = await lookAt(client, number)
      const [authorName, sums, paths] = await Promise.all([
        nameOf(author),
        signer(),
        comments.length === 0 ? new Set<string>() : changedPaths(number),
      ])
      const mark: ReviewMark = { author, state }
      const isOnLine = ({ path, line }: NewComment): boolean => line !== null && paths.has(path)
      // Its API takes no ranges.
      const onLines = comments.filter(isOnLine).map(onLastLine)
      const text = folded(
        body,
        comments.filter((comment) => !isOnLine(comment)),
      )
      const made = await send({
        number,
        commit: pull.head.sha,
        body: markReview(
          text,
          { ...mark, sum: sums.sum(mark, { number, commit: pull.head.sha }) },
          authorName,
        ),
        comments: onLines.map((one) => ({
          path: one.path,
          ...positionOf(one),
          body: one.body,
        })),
      })
      words.forget(number)
      changed(number)
      const left = onLines.length === 0 ? [] : [...(await linesOf(number, made.id))]
      const written = onLines.flatMap(({ path, line, side, body: said }): LineComment[] => {
        const index = left.findIndex((one) => one.path === path && one.body === said)
        const [found] = index < 0 ? [] : left.splice(index, 1)
        return found === undefined
          ? []
          : [
              {
                id: String(found.id),
                ...{ path, line, startLine: null, body: said, author },
                ...(side === undefined ? {} : { side }),
              },
            ]
      })
      const review: Review = {
        id: String(made.id),
        author,
        authorName,
        state,
        body: text,
        commit: pull.head.sha as Sha,
        submittedAt: Date.parse(made.submitted_at) || clock(),
        comments: written,
        trusted: true,
      }
      return review
    },

    async reply({ number, author, thread: id, body, resolve }) {
      const pull = await lookAt(client, number)
      words.forget(number)
      const sums = await signer()
      const readers = {
        number,
        viewer: await client.viewer(),
        writers: new Set<string>(),
        signer: sums,
        nameOf: String,
      }
      const thread = [...threadsOf(await words(pull), readers).values()].find(
        (one) => one.id === id,
      )
      if (thread === undefined)
        throw new ExomonadError('INVALID_ARG', `#${number} has no conversation ${id} (any more).`, {
          number,
          thread: id,
        })
      const resolves = resolve && !thread.resolved
      if (body === '' && !resolves) return
      const mark: ReviewMark = {
        author,
        state: 'commented',
        ...(resolves ? { resolves: true } : {}),
      }
      const text = markReview(
        body,
        { ...mark, sum: sums.sum(mark, { number, commit: null }) },
        await nameOf(author),
      )
      try {
        await send({
          number,
          commit: pull.head.sha,
          body: '',
          comments: [{ path: thread.path, ...positionOf(thread), body: text }],
        })
      } finally {
        words.forget(number)
        changed(number)
      }
    },
  }
}
