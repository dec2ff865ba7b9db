import { ExomonadError } from '../../../../domain/errors.ts'
import type { AskedReviewer, Blocker } from '../../forge.ts'
import type { ChecksState } from '../../check.ts'
import type { GithubClient } from '../client/client.ts'
import type { FullPull } from './answers.ts'
import type { ReadChecks } from './checks/checks.ts'
import { toAsked } from './reviews.ts'

/**
 * A rule of a ruleset, as `GET /repos/{owner}/{repo}/rules/branches/{branch}` lists those in
 * effect.
 */
interface RawRulesetRule {
  readonly type: string
  readonly ruleset_source?: string
  readonly parameters?: Readonly<Record<string, unknown>> | null
}

/**
 * These say how branches are pushed, or are reported otherwise: none of them keeps a pull request
 * from being merged.
 */
const OF_PUSHES: ReadonlySet<string> = new Set([
  'creation',
  'update',
  'deletion',
  'non_fast_forward',
  'required_linear_history',
  'required_status_checks',
  'branch_name_pattern',
  'tag_name_pattern',
  'merge_queue',
])

/**
 * Why GitHub would not merge a pull request whose checks and conflicts are in order: from its own
 * words (`mergeStateStatus`, `reviewDecision`), what it says of the base’s protection, and, only
 * where none of these explains it, its rulesets (one conditional request). A failed read throws as
 * the client does.
 */
export function createBlockers({
  client,
}: {
  client: Pick<GithubClient, 'rest' | 'viewer'>
}): (
  pull: FullPull,
  checks: Pick<ReadChecks, 'checksState' | 'checksRequired'>,
) => Promise<readonly Blocker[]> {
  const rulesOf = async (branch: string): Promise<readonly RawRulesetRule[]> => {
    try {
      const { data, status } = await client.rest<readonly RawRulesetRule[]>(
        'GET /repos/{owner}/{repo}/rules/branches/{branch}',
        { branch },
        { accept: [404] },
      )
      return status === 200 ? data : []
    } catch (error) {
      // Which rule it is would be good to know; that there is one is known.
      if (error instanceof ExomonadError && error.code === 'FORGE_DENIED') return []
      throw error
    }
  }

  return async ({ state, rule, threads, requests }, { checksState, checksRequired }) => {
    if (state.state !== 'OPEN' || state.mergeable !== 'MERGEABLE' || state.isDraft) return []
    // It had all it needs, and what it needs from then on the queue says.
    if (state.mergeQueueEntry != null) return []
    const found = reviewBlockers(
      state.reviewDecision,
      rule,
      toAsked(requests),
      state.reviewDecision === 'REVIEW_REQUIRED' ? await client.viewer() : '',
    )
    if (state.mergeStateStatus === 'BEHIND')
      found.push({
        kind: 'behind',
        needs: `to be brought up to date with ${state.baseRefName}`,
        person: false,
      })
    const open =
      threads === null ? null : [...threads.values()].filter(({ resolved }) => !resolved).length
    const conversations = conversationBlockers(open)
    // Known to be missing, whatever else is.
    if (
      state.mergeStateStatus === 'BLOCKED' &&
      rule?.requiresConversationResolution === true &&
      open !== null
    )
      found.push(...conversations)
    if (
      state.mergeStateStatus !== 'BLOCKED' ||
      found.length > 0 ||
      !explainsNothing(checksState, checksRequired)
    )
      return found
    const reasons = protectionBlockers(rule, conversations)
    if (reasons.length > 0) return reasons
    const rules = (await rulesOf(state.baseRefName)).filter(({ type }) => !OF_PUSHES.has(type))
    const left = rules.flatMap((one) =>
      isOfConversations(one) ? conversations : [ofRuleset(one.type, one.ruleset_source)],
    )
    if (left.length > 0) return left
    return [
      {
        kind: 'rule',
        needs: `what a rule for ${state.baseRefName} asks for, which GitHub does not show this token: ${state.url} says it`,
        person: true,
      },
    ]
  }
}

/** What is known of the checks is not what stands against it. */
const explainsNothing = (state: ChecksState, required: boolean): boolean =>
  state === 'passed' || (state === 'none' && !required)

function reviewBlockers(
  decision: FullPull['state']['reviewDecision'],
  rule: FullPull['rule'],
  asked: readonly AskedReviewer[],
  viewer: string,
): Blocker[] {
  if (decision === 'CHANGES_REQUESTED') {
    return [
      {
        kind: 'review',
        needs:
          'whoever requested changes on GitHub to approve it there, or that review to be dismissed',
        person: true,
      },
    ]
  }
  if (decision !== 'REVIEW_REQUIRED') return []
  const count = rule?.requiredApprovingReviewCount ?? 1
  const owners = asked.filter(({ codeOwner }) => codeOwner).map(({ name }) => name)
  const named = owners.length === 0 ? '' : ` (${owners.join(', ')})`
  const whose =
    rule?.requiresCodeOwnerReviews === true ? `code owners${named}` : 'people with write access'
  const what = count > 1 ? `${count} approvals on GitHub` : 'an approval on GitHub'
  return [
    {
      kind: 'review',
      needs: `${what} by ${whose} other than ${viewer}, whose account the agents use`,
      person: true,
      about: `approvals ${count}`,
    },
  ]
}

/** Null: how many are open is not known. */
function conversationBlockers(open: number | null): Blocker[] {
  if (open === 0) return []
  const which =
    open === null
      ? 'all its conversations'
      : open === 1
        ? 'its open conversation'
        : `its ${open} open conversations`
  return [
    {
      kind: 'rule',
      needs: `${which} to be resolved (pr_review with \`replies\`, or on GitHub)`,
      person: false,
      about: 'conversations',
    },
  ]
}

/**
 * A ruleset’s “Require conversation resolution before merging”, with nothing else that it asks of
 * reviews.
 */
const isOfConversations = ({ type, parameters }: RawRulesetRule): boolean =>
  type === 'pull_request' &&
  parameters?.['required_review_thread_resolution'] === true &&
  Number(parameters['required_approving_review_count'] ?? 0) === 0

function protectionBlockers(rule: FullPull['rule'], conversations: readonly Blocker[]): Blocker[] {
  const found: Blocker[] = []
  if (rule?.requiresConversationResolution === true) found.push(...conversations)
  if (rule?.requiresSignatures === true)
    found.push({ kind: 'rule', needs: 'all its commits to be signed', person: false })
  return found
}

const ofRuleset = (type: string, source: string | undefined): Blocker => ({
  kind: 'rule',
  needs: `what the ruleset${source === undefined ? '' : ` of ${source}`} asks for: ${type.replaceAll('_', ' ')}`,
  person: true,
})
