import { ExomonadError } from '../../../../domain/errors.ts'
import type { Issue, IssueComment, LabelSet } from '../../issues.ts'
import type { GithubClient } from '../client/client.ts'
import type { GithubForgeOptions } from '../options.ts'
import { kindOfOwn } from '../own-comment.ts'
import type { Association, RawActor, RawComment, RawConnection } from '../reading/answers.ts'
import { ask, isDenied, leftOut } from '../reading/pages.ts'
import { accountOf, createBelieves, isSame, type Believes } from '../reading/trusted.ts'
import type { Account, WriteAccess } from '../write-access.ts'
import { ISSUE, MORE_ISSUE_COMMENTS } from './queries.ts'

interface RawEvent {
  readonly __typename: 'LabeledEvent' | 'RenamedTitleEvent'
  readonly createdAt: string
  readonly actor: RawActor | null
  readonly label?: { readonly name: string }
}
interface RawIssue {
  readonly __typename: 'Issue'
  readonly id: string
  readonly number: number
  readonly url: string
  readonly title: string
  readonly body: string
  readonly state: 'OPEN' | 'CLOSED'
  readonly author: RawActor | null
  readonly authorAssociation: Association
  /** Of the body; null where it is as it was written. */
  readonly lastEditedAt: string | null
  readonly editor: RawActor | null
  readonly repository: { readonly id: string }
  readonly labels: Pick<RawConnection<{ readonly name: string }>, 'nodes'> | null
  readonly comments: RawConnection<RawComment>
  readonly timelineItems: Pick<RawConnection<RawEvent>, 'nodes'>
}
interface Answer {
  readonly repository: {
    readonly id: string
    readonly issueOrPullRequest: RawIssue | { readonly __typename: 'PullRequest' } | null
  } | null
}
type Client = Pick<GithubClient, 'graphql' | 'viewer'>

/**
 * Reads issues: what those who may write to the repository say of them, and that others said
 * something.
 */
export function createIssueReader({
  repository,
  client,
  settings,
  mayWrite,
}: Pick<GithubForgeOptions, 'repository' | 'settings'> & {
  client: Client
  mayWrite: WriteAccess
}): (number: number, label?: string) => Promise<Issue> {
  const where = `${repository.owner}/${repository.name}`

  const found = async (number: number): Promise<RawIssue> => {
    const { data, errors } = await ask<Answer>(client, ISSUE, { number })
    const { repository: here } = data
    const issue = here?.issueOrPullRequest ?? null
    if (issue === null && errors.length > 0 && errors.every(({ type }) => type === 'NOT_FOUND'))
      throw new ExomonadError(
        'ISSUE_NOT_FOUND',
        `There is no issue #${number} in ${where} (or issues are switched off there).`,
        { number },
      )
    const denied = errors.find(isDenied)
    if (denied !== undefined) {
      throw new ExomonadError(
        'FORGE_DENIED',
        `GitHub refuses to show issue #${number} of ${where} with this token: ${denied.message}. It needs the permission “Issues: read”.`,
        { number },
      )
    }
    if (errors.length > 0 || here === null || issue === null)
      throw new ExomonadError('FORGE_UNAVAILABLE', `Issue #${number}: ${leftOut(errors)}`, {
        number,
      })
    if (issue.__typename === 'PullRequest') {
      throw new ExomonadError(
        'INVALID_ARG',
        `#${number} of ${where} is a pull request, not an issue. \`exomonad pr show ${number}\` shows it.`,
        { number },
      )
    }
    // GitHub follows an issue that was moved to another repository.
    if (issue.repository.id !== here.id || issue.number !== number)
      throw new ExomonadError(
        'ISSUE_NOT_FOUND',
        `#${number} is no issue of ${where} any more: it was moved to ${issue.url}.`,
        { number, url: issue.url },
      )
    return issue
  }

  const allComments = async ({ id, comments }: RawIssue): Promise<readonly RawComment[]> => {
    const all = [...(comments.nodes ?? [])]
    for (let { pageInfo } = comments; pageInfo.hasNextPage && pageInfo.endCursor !== null;) {
      const { data, errors } = await ask<{ node: { comments: RawConnection<RawComment> } | null }>(
        client,
        MORE_ISSUE_COMMENTS,
        {
          id,
          after: pageInfo.endCursor,
        },
      )
      if (errors.length > 0 || data.node === null)
        throw new ExomonadError('FORGE_UNAVAILABLE', leftOut(errors))
      all.push(...(data.node.comments.nodes ?? []))
      pageInfo = data.node.comments.pageInfo
    }
    return all.filter((comment) => comment !== null)
  }

  const labelSet = async (
    issue: RawIssue,
    label: string,
    trusted: boolean,
  ): Promise<LabelSet | null> => {
    const has = issue.labels?.nodes?.some((one) => one !== null && isSame(one.name, label)) ?? false
    const events = (issue.timelineItems.nodes ?? []).filter((event) => event !== null)
    const set = events.findLast(
      (event) => event.__typename === 'LabeledEvent' && isSame(event.label?.name ?? '', label),
    )
    if (!has || set === undefined || set.actor === null) return null
    const at = Date.parse(set.createdAt)
    // GitHub’s times are whole seconds: what came in the same one may have come after it.
    const edits = [
      ...events
        .filter(
          (event) => event.__typename === 'RenamedTitleEvent' && Date.parse(event.createdAt) >= at,
        )
        .map(({ actor }) => actor),
      ...(issue.lastEditedAt !== null && Date.parse(issue.lastEditedAt) >= at
        ? [issue.editor]
        : []),
    ]
    let outdated = false
    for (const actor of trusted ? [] : edits)
      outdated ||= actor === null || !(await mayWrite(accountOf(actor)))
    const account = accountOf(set.actor)
    return {
      by: `forge:${account.login}`,
      name: account.login,
      at,
      mayWrite: await mayWrite(account),
      outdated,
    }
  }

  return async (number, label) => {
    const issue = await found(number)
    const viewer = await client.viewer()
    const trust = createBelieves({ viewer, trustedBots: settings().trustedBots, mayWrite })
    const author = accountOf(issue.author)
    const trusted = issue.author !== null && (await trust(author, issue.authorAssociation))
    return {
      number,
      url: issue.url,
      state: issue.state === 'OPEN' ? 'open' : 'closed',
      author: `forge:${author.login}`,
      authorName: author.login,
      trusted,
      title: issue.title,
      body: issue.body,
      ...(await trustedOf(await allComments(issue), { viewer, trust })),
      label: label === undefined ? null : await labelSet(issue, label, trusted),
    }
  }
}

async function trustedOf(
  comments: readonly RawComment[],
  { viewer, trust }: { viewer: string; trust: Believes },
): Promise<{ comments: readonly IssueComment[]; withheld: number }> {
  const trusted: IssueComment[] = []
  let withheld = 0
  for (const raw of comments) {
    const account: Account = accountOf(raw.author)
    if (raw.author !== null && isSame(account.login, viewer) && kindOfOwn(raw.body) !== null)
      continue
    if (raw.author === null || !(await trust(account, raw.authorAssociation))) {
      withheld += 1
      continue
    }
    trusted.push({
      id: String(raw.fullDatabaseId),
      author: `forge:${account.login}`,
      authorName: account.login,
      body: raw.body,
      at: Date.parse(raw.createdAt),
    })
  }
  return { comments: trusted, withheld }
}
