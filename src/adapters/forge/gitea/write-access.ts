import type { GiteaClient } from './client.ts'
import type { RawUser } from './pull.ts'

/** Milliseconds for which an answer holds: rights that were given or taken count that much later at most. */
const HOLDS = 10 * 60 * 1000

/**
 * Who may write to the repository. The permission of a single account is for owners to ask; to whom an issue may be assigned anybody may ask,
 * and those are the accounts that may write. FORGE_UNAVAILABLE where Gitea is away and nothing was known before.
 */
export function createWriters({ client, clock }: { client: Pick<GiteaClient, 'pages'>; clock: () => number }): () => Promise<ReadonlySet<string>> {
  let known: { readonly at: number; readonly logins: Promise<ReadonlySet<string>> } | undefined
  const ask = async (): Promise<ReadonlySet<string>> => {
    const users = await client.pages<RawUser>('GET /repos/{owner}/{repo}/assignees')
    return new Set(users.map(({ login }) => login.toLowerCase()))
  }
  return async () => {
    const before = known
    if (before !== undefined && clock() - before.at < HOLDS) return before.logins
    const logins = ask()
    known = { at: clock(), logins }
    try {
      return await logins
    } catch (error) {
      known = before
      if (before === undefined) throw error
      return before.logins
    }
  }
}
