import type { ForgeIssues } from '../../issues.ts'
import type { GithubClient } from '../client/client.ts'
import { kindOfOwn, markOwn } from '../own-comment.ts'
import { isSame } from '../reading/trusted.ts'
import { fitText } from '../writing/fit.ts'

interface RawComment {
  readonly id: number
  readonly body?: string
  readonly user: { readonly login: string } | null
}

const COMMENTS = '/repos/{owner}/{repo}/issues/{issue_number}/comments'
const COMMENT = '/repos/{owner}/{repo}/issues/comments/{comment_id}'
/** Room for the mark. */
const MARK = 100

/**
 * One comment of each kind, below issues and pull requests alike. A creation that may have happened
 * is looked for before the next.
 */
export function createOwnComments(
  client: Pick<GithubClient, 'rest' | 'pages' | 'viewer'>,
): ForgeIssues['comment'] {
  /** Ours by account and mark: anybody may write the mark. */
  const marked = async (number: number, kind: string): Promise<RawComment | undefined> => {
    const viewer = await client.viewer()
    const comments = await client.pages<RawComment>(`GET ${COMMENTS}`, { issue_number: number })
    return comments.find(
      ({ user, body }) =>
        user !== null && isSame(user.login, viewer) && kindOfOwn(body ?? '') === kind,
    )
  }
  const change = async (id: string | number, body: string): Promise<boolean> => {
    const { status } = await client.rest(
      `PATCH ${COMMENT}`,
      { comment_id: Number(id), body },
      { accept: [404, 410], retry: true },
    )
    return status === 200
  }

  return async ({ number, kind, id, body }) => {
    const text = markOwn(fitText(body, MARK), kind)
    if (id !== null && (await change(id, text))) return id
    const known = await marked(number, kind)
    if (known !== undefined && (known.body === text || (await change(known.id, text))))
      return String(known.id)
    const { data } = await client.rest<RawComment>(`POST ${COMMENTS}`, {
      issue_number: number,
      body: text,
    })
    return String(data.id)
  }
}
