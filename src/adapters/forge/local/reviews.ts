import { ExomonadError } from '../../../errors.ts'
import type { Actor, Sha } from '../../../ids.ts'
import type { Git } from '../../git/git.ts'
import type { PullRow, ReviewRow, StoreVerbs } from '../../store/store.ts'
import type { Forge, PullRequestSnapshot, Review } from '../forge.ts'
import type { Hints } from './hints.ts'
import type { LocalForgeOptions } from './options.ts'
import { requirePull } from './urls.ts'

/** Name to show for whoever did something. */
export async function actorName(store: Pick<StoreVerbs, 'agents'>, actor: Actor): Promise<string> {
  if (actor === 'human' || actor === 'daemon') return actor
  if (actor.startsWith('forge:')) return actor.slice('forge:'.length)
  return (await store.agents.get(actor as Parameters<StoreVerbs['agents']['get']>[0]))?.name ?? actor
}

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

/**
 * What the reviews come to: each author’s latest approval or change request counts, if it is about what the head holds. A push answers a
 * change request; `sameWork` keeps a mere rebase from doing so.
 */
export async function reviewDecision(
  reviews: readonly Pick<Review, 'author' | 'state' | 'commit'>[],
  head: Sha,
  sameWork: (reviewed: Sha) => Promise<boolean>,
): Promise<PullRequestSnapshot['reviewDecision']> {
  const latest = new Map<Actor, Pick<Review, 'state' | 'commit'>>()
  for (const review of reviews) if (review.state !== 'commented') latest.set(review.author, review)
  let decision: PullRequestSnapshot['reviewDecision'] = 'none'
  for (const review of latest.values()) {
    if (decision === 'changes_requested') break
    if (review.commit !== head && !(await sameWork(review.commit))) continue
    decision = review.state === 'changes_requested' ? 'changes_requested' : 'approved'
  }
  return decision
}

/** Whether two heads bring the same changed lines to a base, wherever those stand by now. Kept for pairs that were compared. */
export function createSameWork(git: Git): (base: Sha, a: Sha, b: Sha) => Promise<boolean> {
  const known = new Map<string, boolean>()
  const changes = async (base: Sha, head: Sha): Promise<string> =>
    (await git.diff(base, head))
      .split('\n')
      .filter((line) => /^([+-]|diff )/.test(line))
      .join('\n')
  return async (base, a, b) => {
    const key = `${base} ${a} ${b}`
    const before = known.get(key)
    if (before !== undefined) return before
    if ((await git.resolve(a)) === null) return false
    const same = (await changes(base, a)) === (await changes(base, b))
    if (known.size > 1000) known.clear()
    known.set(key, same)
    return same
  }
}

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
      if (!(error instanceof ExomonadError) || error.code !== 'FORGE_UNAVAILABLE') throw error
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
