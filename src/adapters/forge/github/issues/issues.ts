import type { ForgeIssues } from '../../issues.ts'
import type { GithubClient } from '../client/client.ts'
import type { GithubForgeOptions } from '../options.ts'
import type { WriteAccess } from '../write-access.ts'
import { createOwnComments } from './comment.ts'
import { createIssueReader } from './read.ts'

interface Listed {
  readonly number: number
  readonly updated_at: string
  /** GitHub lists pull requests among its issues. */
  readonly pull_request?: object | null
}

export function createIssues(
  options: Pick<GithubForgeOptions, 'repository' | 'settings'> & {
    client: GithubClient
    mayWrite: WriteAccess
  },
): ForgeIssues {
  const { client } = options
  return {
    read: createIssueReader(options),
    async labelled(label) {
      const issues = await client.pages<Listed>('GET /repos/{owner}/{repo}/issues', {
        labels: label,
        state: 'open',
        sort: 'created',
        direction: 'asc',
      })
      return issues
        .filter((issue) => issue.pull_request == null)
        .map((issue) => ({ number: issue.number, updatedAt: Date.parse(issue.updated_at) }))
    },
    comment: createOwnComments(client),
  }
}
