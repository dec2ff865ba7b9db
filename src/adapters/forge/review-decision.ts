import type { Actor, Sha } from '../../ids.ts'
import type { Git } from '../git/git.ts'
import type { PullRequestSnapshot, Review } from './forge.ts'

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

/**
 * Whether two heads bring the same changed lines to a base, wherever those stand by now. Kept for pairs that were compared, and for good where they did:
 * once the base itself was rebased, what one of them was rebased onto before would count as its own work.
 */
export function createSameWork(git: Git): (base: Sha, a: Sha, b: Sha) => Promise<boolean> {
  const known = new Map<string, boolean>()
  const changes = async (base: Sha, head: Sha): Promise<string> =>
    (await git.diff(base, head))
      .split('\n')
      .filter((line) => /^([+-]|diff )/.test(line))
      .join('\n')
  return async (base, a, b) => {
    const pair = `${a} ${b}`
    const key = `${base} ${pair}`
    const before = known.get(pair) ?? known.get(key)
    if (before !== undefined) return before
    if ((await git.resolve(a)) === null) return false
    const same = (await changes(base, a)) === (await changes(base, b))
    if (known.size > 1000) known.clear()
    known.set(same ? pair : key, same)
    return same
  }
}
