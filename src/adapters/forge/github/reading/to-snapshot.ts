import type { Actor, AgentId, BranchName, Sha } from '../../../../domain/ids.ts'
import type { PullRequestSnapshot } from '../../forge.ts'
import type { FullPull, RawState } from './answers.ts'
import { toAsked, toComments, toReviews, type Readers } from './reviews.ts'
import { isMergeQueue } from './scheduled.ts'
import { accountOf, isSame } from './trusted.ts'

/** What is worked out beside GitHub’s answer. */
export interface Beside extends Readers {
  readonly agentId: AgentId | null
}

const STATES = { OPEN: 'open', CLOSED: 'closed', MERGED: 'merged' } as const
const MERGEABLE = {
  MERGEABLE: 'mergeable',
  CONFLICTING: 'conflicting',
  UNKNOWN: 'unknown',
} as const

/**
 * A snapshot of what GitHub said, but for what takes git or more requests: the decision of the
 * reviews, files in conflict, checks.
 */
export function toSnapshot(
  pull: FullPull,
  beside: Beside,
): Omit<
  PullRequestSnapshot,
  'reviewDecision' | 'conflictFiles' | 'checks' | 'checksState' | 'checksRequired'
> {
  const { state } = pull
  const { agentId } = beside
  const within = !state.isCrossRepository
  const author = accountOf(pull.author)
  // What an agent filed is ours, also where the daemon has another account by now.
  const believed = within && (agentId !== null || beside.trust(author, pull.authorAssociation))
  const merged = state.state === 'MERGED'
  const asked = toAsked(pull.requests)
  return {
    number: state.number,
    url: state.url,
    title: believed ? state.title : `Pull request of ${author.login}`,
    body: believed ? pull.body : '',
    state: STATES[state.state],
    draft: state.isDraft,
    head: { branch: state.headRefName as BranchName, sha: state.headRefOid as Sha },
    base: {
      branch: state.baseRefName as BranchName,
      sha: state.state === 'OPEN' ? baseTip(state) : null,
    },
    trusted: within,
    agentId: within ? agentId : null,
    mergeable: state.state === 'OPEN' ? MERGEABLE[state.mergeable] : 'unknown',
    reviews: toReviews(pull.reviews, beside, pull.threads),
    comments: toComments(pull.comments, beside),
    ...(asked.length === 0 ? {} : { asked }),
    mergeSha: merged ? ((state.mergeCommit?.oid ?? null) as Sha | null) : null,
    ...(merged && state.mergedBy !== null && !isOurs(accountOf(state.mergedBy).login, beside.viewer)
      ? { mergedByOther: true }
      : {}),
    mergedBy:
      merged && state.mergedBy !== null
        ? (`forge:${accountOf(state.mergedBy).login}` satisfies Actor)
        : null,
    mergedHead: merged ? (state.headRefOid as Sha) : null,
    createdAt: Date.parse(state.createdAt),
    updatedAt: Date.parse(state.updatedAt),
  }
}

/** A merge queue merges for whoever asked it to. */
const isOurs = (login: string, viewer: string): boolean =>
  isSame(login, viewer) || isMergeQueue(login)

/** The base as it is now; GitHub’s own `baseRefOid` is as old as the last push. */
export const baseTip = ({ baseRef }: RawState): Sha | null =>
  (baseRef?.target?.oid ?? null) as Sha | null
