/** What a webhook of GitHub speaks of: whatever else it claims is not believed, only looked up. */
export interface WebhookHints {
  /** GitHub’s number of the repository. */
  readonly repositoryId: number
  readonly numbers: readonly number[]
  readonly branches: readonly string[]
  readonly shas: readonly string[]
}

const CHECKS = ['check_run', 'check_suite', 'workflow_run', 'workflow_job'] as const
const REVIEWS: ReadonlySet<string> = new Set([
  'pull_request',
  'pull_request_review',
  'pull_request_review_comment',
  'pull_request_review_thread',
])
const MOST = 100

/**
 * The pull requests, branches and commits in a payload, by the name of the event. Undefined where
 * it names no repository, empty where it is about nothing that is followed. Total: a payload of
 * any shape is read as far as it makes sense.
 * https://docs.github.com/en/webhooks/webhook-events-and-payloads
 */
export function webhookHints(event: string, payload: unknown): WebhookHints | undefined {
  const repositoryId = at(payload, 'repository', 'id')
  if (typeof repositoryId !== 'number') return undefined
  const numbers: unknown[] = []
  const branches: unknown[] = []
  const shas: unknown[] = []
  if (REVIEWS.has(event)) numbers.push(at(payload, 'pull_request', 'number'))
  // Issues are commented on as well.
  if (event === 'issue_comment' && at(payload, 'issue', 'pull_request') != null)
    numbers.push(at(payload, 'issue', 'number'))
  const check = CHECKS.find((name) => name === event)
  if (check !== undefined) {
    const pulls = at(payload, check, 'pull_requests')
    for (const pull of Array.isArray(pulls) ? pulls : [])
      if (at(pull, 'base', 'repo', 'id') === repositoryId) numbers.push(at(pull, 'number'))
    // Those of a branch that was pushed before its pull request was opened name none.
    shas.push(at(payload, check, 'head_sha'))
  }
  if (event === 'status') shas.push(at(payload, 'sha'))
  if (event === 'push' || (event === 'delete' && at(payload, 'ref_type') === 'branch')) {
    const ref = at(payload, 'ref')
    if (typeof ref === 'string' && !ref.startsWith('refs/tags/'))
      branches.push(ref.replace(/^refs\/heads\//, ''))
  }
  return {
    repositoryId,
    numbers: numbers
      .filter((number) => typeof number === 'number' && Number.isSafeInteger(number) && number > 0)
      .slice(0, MOST) as number[],
    branches: branches.filter((branch) => typeof branch === 'string' && branch !== '') as string[],
    shas: shas.filter(
      (sha) => typeof sha === 'string' && /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(sha),
    ) as string[],
  }
}

function at(value: unknown, ...path: readonly string[]): unknown {
  let found = value
  for (const key of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined
    found = (found as Record<string, unknown>)[key]
  }
  return found
}
