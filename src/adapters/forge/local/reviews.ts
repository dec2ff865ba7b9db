import { ExomonadError } from '../../../domain/errors.ts'
import type { Sha } from '../../../domain/ids.ts'
import type { PullRow, ReviewRow } from '../../../domain/forge-rows.ts'
import { actorName } from '../actor-name.ts'
import type { Forge, Review } from '../forge.ts'
import type { Hints } from '../hints.ts'
import type { LocalForgeOptions } from './options.ts'
import { requirePull } from './urls.ts'

export const toReview = (row: ReviewRow, authorName: string): Review => ({
  id: String(row.id),
  author: row.author,
  authorName,
  state: row.state,
  body: row.body,
  commit: row.commit,
  submittedAt: row.submittedAt,
  comments: row.comments.map(({ id, thread, ...comment }) => ({
    ...comment,
    id: String(id),
    thread: String(thread ?? id),
    author: row.author,
  })),
  // Whoever reviews here runs on this machine as this user.
  trusted: true,
})

export function createReviews({
  git,
  store,
  remote,
  clock,
  log,
  hints,
}: Pick<LocalForgeOptions, 'git' | 'store' | 'remote' | 'clock' | 'log'> & { hints: Hints }): Pick<
  Forge,
  'review' | 'reply'
> {
  /**
   * A review is about what its author could see: the head as it is now, or as last known where the
   * remote is away.
   */
  const headNow = async (pull: PullRow): Promise<Sha> => {
    try {
      return (await git.remoteTip(remote, pull.headBranch)) ?? pull.headSha
    } catch (error) {
      if (
        !(error instanceof ExomonadError) ||
        (error.code !== 'FORGE_UNAVAILABLE' && error.code !== 'FORGE_DENIED')
      )
        throw error
      log.warn(
        { err: error, number: pull.number },
        'the head under review could not be read; the last known one is recorded',
      )
      return pull.headSha
    }
  }
  return {
    async review({ number, author, state, body, comments }) {
      const pull = await requirePull(store, number)
      const row = await store.pulls.addReview({
        pull: number,
        author,
        state,
        body,
        comments,
        commit: await headNow(pull),
        submittedAt: clock(),
      })
      await store.pulls.update(number, { updatedAt: clock() })
      hints.emit(number)
      return toReview(row, await actorName(store, author))
    },

    async reply({ number, author, thread, body, resolve }) {
      const pull = await requirePull(store, number)
      const first = (await store.pulls.reviews(number))
        .flatMap(({ comments }) => comments)
        .find((comment) => comment.thread === null && String(comment.id) === thread)
      if (first === undefined)
        throw new ExomonadError('INVALID_ARG', `#${number} has no conversation ${thread}.`, {
          number,
          thread,
        })
      const { path, line, startLine, side } = first
      const commit = body === '' ? null : await headNow(pull)
      await store.transaction(async (tx) => {
        if (commit !== null) {
          const comments = [{ path, line, startLine, side, body, thread: first.id }]
          await tx.pulls.addReview({
            pull: number,
            author,
            state: 'commented',
            body: '',
            comments,
            commit,
            submittedAt: clock(),
          })
        }
        if (resolve) await tx.pulls.resolveThread(first.id)
        await tx.pulls.update(number, { updatedAt: clock() })
      })
      hints.emit(number)
    },
  }
}
