import type { Actor, Sha } from '../../domain/ids.ts'
import type { Git } from '../git/git.ts'
import type { StoreVerbs } from '../store/store.ts'
import type { NotCounted, PullRequestSnapshot, Review } from './forge.ts'

type Verdict = Pick<Review, 'author' | 'state' | 'commit' | 'trusted'>

export interface JudgedReviews<Of extends Verdict> {
  readonly reviewDecision: PullRequestSnapshot['reviewDecision']
  /** The same, each with why it does not count. */
  readonly reviews: readonly Of[]
}

/**
 * What the reviews come to: each author’s latest approval or change request counts, if it is about
 * what the head holds, and of somebody who may write here and did not file the pull request. A push
 * answers a change request; `sameWork` keeps a mere rebase from doing so. `takenBack`: whose last
 * verdict was dismissed.
 */
export async function judgeReviews<Of extends Verdict>(
  reviews: readonly Of[],
  {
    head,
    author = null,
    takenBack = new Set(),
    sameWork,
  }: {
    readonly head: Sha
    readonly author?: Actor | null
    readonly takenBack?: ReadonlySet<Actor>
    readonly sameWork: (reviewed: Sha) => Promise<boolean>
  },
): Promise<JudgedReviews<Of>> {
  const last = new Map<Actor, Of>()
  const verdicts = reviews.filter(({ state }) => state !== 'commented')
  for (const review of verdicts) if (review.trusted) last.set(review.author, review)

  const whyNot = async (review: Of): Promise<NotCounted | null> => {
    // Whoever may not write here decides nothing.
    if (!review.trusted) return 'no_write_access'
    if (review.state === 'commented') return null
    if (review.author === author) return 'own'
    if (takenBack.has(review.author)) return 'dismissed'
    if (last.get(review.author) !== review) return 'superseded'
    return review.commit === head || (await sameWork(review.commit)) ? null : 'older_head'
  }

  const judged: Of[] = []
  const counted = new Set<Review['state']>()
  for (const review of reviews) {
    const notCounted = await whyNot(review)
    if (notCounted === null) counted.add(review.state)
    judged.push(notCounted === null ? review : { ...review, notCounted })
  }
  const reviewDecision = counted.has('changes_requested')
    ? 'changes_requested'
    : counted.has('approved')
      ? 'approved'
      : 'none'
  return { reviewDecision, reviews: judged }
}

export interface SameWork {
  /**
   * Whether the reviewed head and the present one of a pull request bring the same changed lines to
   * its base, wherever those stand by now.
   */
  is(
    number: number,
    heads: { readonly base: Sha; readonly reviewed: Sha; readonly head: Sha },
  ): Promise<boolean>
  /** A pull request that has ended is compared no more. */
  forget(number: number): Promise<void>
}

/** Pairs that were found the same, of a pull request. The oldest go beyond so many. */
const MOST = 20

const keyOf = (number: number): string => `same-work:${number}`

/**
 * Pairs that are the same are stored, and stay so: once the base itself was rebased, what one of
 * them was rebased onto before would count as its own work. Pairs that differ are kept in memory,
 * for one base: on another they may come to the same.
 */
export function createSameWork({
  git,
  snapshots,
}: {
  git: Pick<Git, 'diff' | 'resolve'>
  snapshots: StoreVerbs['snapshots']
}): SameWork {
  const different = new Set<string>()
  const same = new Map<number, readonly string[]>()

  const stored = async (number: number): Promise<readonly string[]> => {
    const known =
      same.get(number) ??
      ((await snapshots.get(keyOf(number)))?.['pairs'] as readonly string[] | undefined) ??
      []
    same.set(number, known)
    return known
  }
  const changes = async (base: Sha, head: Sha): Promise<string> =>
    (await git.diff(base, head))
      .split('\n')
      .filter((line) => /^([+-]|diff )/.test(line))
      .join('\n')

  return {
    async is(number, { base, reviewed, head }) {
      const pair = `${reviewed} ${head}`
      const key = `${base} ${pair}`
      if ((await stored(number)).includes(pair)) return true
      if (different.has(key) || (await git.resolve(reviewed)) === null) return false
      if ((await changes(base, reviewed)) !== (await changes(base, head))) {
        if (different.size > 1000) different.clear()
        different.add(key)
        return false
      }
      const pairs = [...(await stored(number)), pair].slice(-MOST)
      await snapshots.put(keyOf(number), { pairs })
      same.set(number, pairs)
      return true
    },
    async forget(number) {
      if ((await stored(number)).length > 0) await snapshots.remove(keyOf(number))
      same.set(number, [])
    },
  }
}
