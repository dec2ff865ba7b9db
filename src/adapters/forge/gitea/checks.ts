import type { Sha } from '../../../domain/ids.ts'
import type { Check, ChecksState } from '../check.ts'
import type { GiteaClient } from './client.ts'
import { matchesGlob } from './glob.ts'
import type { RawBranch } from './protection.ts'

interface RawStatus {
  readonly id: number
  readonly context: string
  readonly status: 'pending' | 'success' | 'error' | 'failure' | 'warning' | 'skipped'
  readonly target_url: string
}

export interface FoundChecks {
  readonly checks: readonly Check[]
  readonly checksState: ChecksState
  readonly checksRequired: boolean
}

const STATUS = {
  pending: 'running',
  success: 'passed',
  skipped: 'passed',
  error: 'failed',
  failure: 'failed',
} as const

/** The statuses of a head, which Gitea’s own Actions write, too: of each context the last. */
export async function readChecks(
  client: Pick<GiteaClient, 'pages'>,
  head: Sha,
  branch: RawBranch | null,
): Promise<FoundChecks> {
  const statuses = await client.pages<RawStatus>(
    `GET /repos/{owner}/{repo}/commits/${head}/status`,
    {},
    'statuses',
  )
  const checksRequired = branch?.enable_status_check === true
  const wanted = branch?.status_check_contexts ?? []
  // A protection that asks for checks and names none asks for all there are, and for one at least.
  const isRequired = (context: string): boolean =>
    checksRequired && (wanted.length === 0 || wanted.some((glob) => matchesGlob(glob, context)))
  const checks = statuses.map(({ id, context, status, target_url: url }): Check => {
    const required = isRequired(context)
    return {
      name: context,
      // With a warning Gitea merges, unless the check is required.
      status: status === 'warning' ? (required ? 'failed' : 'passed') : STATUS[status],
      required,
      run: String(id),
      url: url === '' ? null : url,
      logTail: null,
    }
  })
  const missing =
    checksRequired &&
    (wanted.length === 0
      ? checks.length === 0
      : wanted.some((glob) => !checks.some(({ name }) => matchesGlob(glob, name))))
  return {
    checks,
    checksState: stateOf(
      checksRequired ? checks.filter(({ required }) => required) : checks,
      missing,
    ),
    checksRequired,
  }
}

function stateOf(checks: readonly Check[], missing: boolean): ChecksState {
  if (checks.some(({ status }) => status === 'failed')) return 'failed'
  if (missing || checks.some(({ status }) => status === 'running')) return 'pending'
  return checks.length === 0 ? 'none' : 'passed'
}
