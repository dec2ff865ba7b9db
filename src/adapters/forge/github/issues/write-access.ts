import type { GithubClient } from '../client/client.ts'
import type { Account } from '../reading/trusted.ts'

/** Whether a person may write to the repository, as GitHub itself says: what they are called beside their words does not tell. Bots are no persons. */
export type WriteAccess = (account: Account) => Promise<boolean>

export function createWriteAccess(client: Pick<GithubClient, 'rest'>): WriteAccess {
  return async ({ login, bot }) => {
    if (bot) return false
    // 404: nobody has that name, or not any more.
    const answer = await client.rest<{ permission?: string }>(
      'GET /repos/{owner}/{repo}/collaborators/{username}/permission',
      { username: login },
      { accept: [404] },
    )
    return answer.status !== 404 && (answer.data.permission === 'admin' || answer.data.permission === 'write')
  }
}
