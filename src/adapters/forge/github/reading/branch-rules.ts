import { ExomonadError } from '../../../../domain/errors.ts'
import type { GithubClient } from '../client/client.ts'

/** A rule of a ruleset, as GitHub’s REST API has it. It only has active ones. */
export interface BranchRule {
  readonly type: string
  readonly parameters?: Readonly<Record<string, unknown>>
  readonly ruleset_id?: number
  /** `octo/widgets`, or the organization. */
  readonly ruleset_source?: string
}

/**
 * The rules for a branch, whether it is there yet or not; none where the server has no rulesets
 * (before GitHub Enterprise Server 3.11).
 */
export async function readBranchRules(
  client: Pick<GithubClient, 'pages'>,
  branch: string,
): Promise<readonly BranchRule[]> {
  try {
    return await client.pages<BranchRule>('GET /repos/{owner}/{repo}/rules/branches/{branch}', {
      branch,
    })
  } catch (thrown) {
    if (thrown instanceof ExomonadError && thrown.facts['status'] === 404) return []
    throw thrown
  }
}
