import { ExomonadError } from '../../../errors.ts'
import type { Sha } from '../../../ids.ts'
import type { PullRow, ReviewRow } from '../../store/store.ts'
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
  comments: row.comments.map((comment) => ({ ...comment, id: String(comment.id), author: row.author })),
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
}: Pick<LocalForgeOptions, 'git' | 'store' | 'remote' | 'clock' | 'log'> & { hints: Hints }): Pick<Forge, 'review'> {
  /** A review is about what its author could see: the head as it is now, or as last known where the remote is away. */
  const headNow = async (pull: PullRow): Promise<Sha> => {
    try {
      return (await git.remoteTip(remote, pull.headBranch)) ?? pull.headSha
    } catch (error) {
      if (!(error instanceof ExomonadError) || (error.code !== 'FORGE_UNAVAILABLE' && error.code !== 'FORGE_DENIED')) throw error
      log.warn({ err: error, number: pull.number }, 'the head under review could not be read; the last known one is recorded')
      return pull.headSha
    }
  }
  return {
    async review({ number, author, state, body, comments }) {
      const pull = await requirePull(store, number)
      const row = await store.pulls.addReview({ pull: number, author, state, body, comments, commit: await headNow(pull), submittedAt: clock() })
      await store.pulls.update(number, { updatedAt: clock() })
      hints.emit(number)
      return toReview(row, await actorName(store, author))
    },
  }
}
