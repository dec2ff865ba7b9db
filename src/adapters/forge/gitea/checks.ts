import type { BranchName, Sha } from '../../../ids.ts'
import type { Blocker, Check, ChecksState } from '../forge.ts'
import type { GiteaClient } from './client.ts'
import type { RawReview } from './reviews.ts'

interface RawStatus {
  readonly id: number
  readonly context: string
  readonly status: 'pending' | 'success' | 'error' | 'failure' | 'warning' | 'skipped'
  readonly target_url: string
}

/** What protects a branch, as anybody may read it. */
export interface RawBranch {
  readonly required_approvals: number
  readonly enable_status_check: boolean
  /** Globs of contexts. */
  readonly status_check_contexts: readonly string[] | null
  readonly user_can_merge: boolean
}

export interface FoundChecks {
  readonly checks: readonly Check[]
  readonly checksState: ChecksState
  readonly checksRequired: boolean
}

const STATUS = { pending: 'running', success: 'passed', warning: 'passed', skipped: 'passed', error: 'failed', failure: 'failed' } as const

/** The statuses of a head, which Gitea’s own Actions write, too: of each context the last. */
export async function readChecks(client: Pick<GiteaClient, 'rest'>, head: Sha, branch: RawBranch | null): Promise<FoundChecks> {
  const { data } = await client.rest<{ statuses: readonly RawStatus[] | null }>(`GET /repos/{owner}/{repo}/commits/${head}/status`, { query: { limit: 100 } })
  const wanted = branch?.enable_status_check === true ? (branch.status_check_contexts ?? []) : []
  const isWanted = (context: string): boolean => wanted.some((glob) => matches(glob, context))
  const checks = (data.statuses ?? []).map(({ id, context, status, target_url: url }): Check => ({
    name: context,
    status: STATUS[status],
    required: isWanted(context),
    run: String(id),
    url: url === '' ? null : url,
    logTail: null,
  }))
  const missing = wanted.some((glob) => !checks.some(({ name }) => matches(glob, name)))
  return { checks, checksState: stateOf(wanted.length > 0 ? checks.filter(({ required }) => required) : checks, missing), checksRequired: wanted.length > 0 }
}

function stateOf(checks: readonly Check[], missing: boolean): ChecksState {
  if (checks.some(({ status }) => status === 'failed')) return 'failed'
  if (missing || checks.some(({ status }) => status === 'running')) return 'pending'
  return checks.length === 0 ? 'none' : 'passed'
}

/** Globs as Gitea has them: `*` for anything, `?` for a character. */
function matches(glob: string, context: string): boolean {
  const pattern = glob
    .replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll('*', '.*')
    .replaceAll('?', '.')
  return new RegExp(`^${pattern}$`, 's').test(context)
}

/** Null where it can’t be told: a branch that was pushed this moment, or that is not there. */
export async function readBranch(client: Pick<GiteaClient, 'rest'>, branch: BranchName): Promise<RawBranch | null> {
  // Gitea answers 500 while it takes in the push that made the branch.
  const { status, data } = await client.rest<RawBranch>(`GET /repos/{owner}/{repo}/branches/${encodeURIComponent(branch)}`, { accept: [404, 500] })
  return status === 200 ? data : null
}

/** What the protection of the base asks for beside checks. */
export function blockersOf(branch: RawBranch | null, { reviews, base, host }: { reviews: readonly RawReview[]; base: BranchName; host: string }): Blocker[] {
  if (branch === null) return []
  const latest = new Map<string, RawReview>()
  for (const review of reviews) {
    if (review.user !== null && (review.state === 'APPROVED' || review.state === 'REQUEST_CHANGES') && !review.dismissed) latest.set(review.user.login, review)
  }
  const approvals = [...latest.values()].filter(({ state, official }) => state === 'APPROVED' && official).length
  const left = branch.required_approvals - approvals
  return [
    ...(left > 0
      ? [{ kind: 'review', needs: `${left} more approval${left === 1 ? '' : 's'} by people on ${host}`, person: true, about: 'approvals' } as const]
      : []),
    ...(branch.user_can_merge ? [] : [{ kind: 'rule', needs: `somebody who may merge into ${base}: the token’s account may not`, person: true } as const]),
  ]
}
