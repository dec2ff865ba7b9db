import type { BranchName } from '../../../domain/ids.ts'
import type { Blocker } from '../forge.ts'
import type { GiteaClient } from './client.ts'
import type { RawReview } from './reviews.ts'

/** What protects a branch, as anybody may read it. */
export interface RawBranch {
  readonly required_approvals: number
  readonly enable_status_check: boolean
  /** Globs of contexts. */
  readonly status_check_contexts: readonly string[] | null
  readonly user_can_merge: boolean
  /** Rule that protects it; shown to administrators of the repository alone. */
  readonly effective_branch_protection_name?: string
}

/** What the rule asks for beside that, as administrators may read it. */
export interface RawRule {
  readonly block_on_rejected_reviews: boolean
  readonly block_on_official_review_requests: boolean
  readonly block_on_outdated_branch: boolean
  readonly ignore_stale_approvals: boolean
}

export interface Protection {
  readonly branch: RawBranch
  /**
   * Null where nothing protects it, or the token may not read what does: Gitea itself refuses then.
   */
  readonly rule: RawRule | null
}

/**
 * Null where it can’t be determined: a branch that was pushed this moment, or that is not there.
 */
export async function readProtection(
  client: Pick<GiteaClient, 'rest'>,
  base: BranchName,
): Promise<Protection | null> {
  // Gitea answers 500 while it takes in the push that made the branch.
  const { status, data: branch } = await client.rest<RawBranch>(
    `GET /repos/{owner}/{repo}/branches/${encodeURIComponent(base)}`,
    { accept: [404, 500] },
  )
  if (status !== 200) return null
  const { effective_branch_protection_name: name = '' } = branch
  if (name === '') return { branch, rule: null }
  const found = await client.rest<RawRule>(
    `GET /repos/{owner}/{repo}/branch_protections/${encodeURIComponent(name)}`,
    { accept: [403, 404] },
  )
  return { branch, rule: found.status === 200 ? found.data : null }
}

/**
 * What counts for the protection: the last verdict of each, and whom a review is asked of.
 * Dismissed ones are none, nor those of people who do not count.
 */
function counted(reviews: readonly RawReview[]): RawReview[] {
  const latest = new Map<string, RawReview>()
  for (const review of reviews) {
    const { state, dismissed } = review
    if (
      !dismissed &&
      (state === 'APPROVED' || state === 'REQUEST_CHANGES' || state === 'REQUEST_REVIEW')
    )
      latest.set(nameOf(review), review)
  }
  return [...latest.values()].filter(({ official }) => official)
}

const nameOf = ({ user, team }: RawReview): string => team?.name ?? user?.login ?? 'ghost'

/**
 * What the protection of the base asks for beside checks. `isBehind`: the base has commits that the
 * head has not.
 */
export function blockersOf(
  protection: Protection | null,
  {
    reviews,
    base,
    host,
    isBehind,
  }: { reviews: readonly RawReview[]; base: BranchName; host: string; isBehind: boolean },
): Blocker[] {
  if (protection === null) return []
  const { branch, rule } = protection
  const standing = counted(reviews)
  const approvals = standing.filter(
    ({ state, stale }) => state === 'APPROVED' && !(stale && rule?.ignore_stale_approvals === true),
  )
  const left = branch.required_approvals - approvals.length
  const of = (wanted: RawReview['state']): string =>
    standing
      .filter(({ state }) => state === wanted)
      .map(nameOf)
      .join(', ')
  const rejected = rule?.block_on_rejected_reviews === true ? of('REQUEST_CHANGES') : ''
  const asked = rule?.block_on_official_review_requests === true ? of('REQUEST_REVIEW') : ''
  const review = (needs: string, about: string): Blocker => ({
    kind: 'review',
    needs,
    person: true,
    about,
  })
  return [
    ...(left > 0
      ? [review(`${left} more approval${left === 1 ? '' : 's'} by people on ${host}`, 'approvals')]
      : []),
    ...(rejected === ''
      ? []
      : [
          review(
            `${rejected} to approve it on ${host}, or that review to be dismissed`,
            `rejected ${rejected}`,
          ),
        ]),
    ...(asked === ''
      ? []
      : [review(`the review of ${asked} on ${host}, who was asked for it`, `asked ${asked}`)]),
    ...(rule?.block_on_outdated_branch === true && isBehind
      ? [{ kind: 'behind', needs: `to be brought up to date with ${base}`, person: false } as const]
      : []),
    ...(branch.user_can_merge
      ? []
      : [
          {
            kind: 'rule',
            needs: `somebody who may merge into ${base}: the token’s account may not`,
            person: true,
          } as const,
        ]),
  ]
}
