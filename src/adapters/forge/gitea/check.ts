import { asExomonadError } from '../../../errors.ts'
import type { GiteaClient } from './client.ts'

/** What a server and a token are good for. Reasons are sentences without a full stop. */
export type GiteaCheck =
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'unreachable'; readonly reason: string }
  | {
      readonly kind: 'checked'
      /** As the server says: `1.24.6`, `11.0.1+gitea-1.22.0` of Forgejo. */
      readonly version: string
      readonly account: string
      /** What keeps exomonad from working there; empty where nothing does. */
      readonly missing: readonly { readonly what: string; readonly fix: string }[]
    }

interface RawRepository {
  readonly permissions?: { readonly push?: boolean }
  readonly has_pull_requests?: boolean
  readonly archived?: boolean
  readonly empty?: boolean
}

/** Asks what the token may do, without changing anything. */
export async function checkGitea(client: Pick<GiteaClient, 'rest' | 'viewer'>, place: string): Promise<GiteaCheck> {
  try {
    const { data } = await client.rest<{ version: string }>('GET /version')
    const account = await client.viewer()
    const { data: repository } = await client.rest<RawRepository>('GET /repos/{owner}/{repo}', { accept: [404] })
    const missing = [
      ...(repository.permissions === undefined
        ? [
            {
              what: `the token sees no repository ${place}`,
              fix: 'Check the URL of the git remote, and the token’s scopes (write:repository, write:issue, read:user)',
            },
          ]
        : []),
      ...(repository.permissions?.push === false ? [{ what: `${account} may not write to ${place}`, fix: 'Make it a collaborator with write access' }] : []),
      ...(repository.has_pull_requests === false
        ? [{ what: `pull requests are switched off in ${place}`, fix: 'Switch them on in the repository’s settings' }]
        : []),
      ...(repository.archived === true ? [{ what: `${place} is archived: nothing can be pushed`, fix: 'Unarchive it in its settings' }] : []),
      ...(repository.empty === true ? [{ what: `${place} is empty`, fix: 'Push the base branch first' }] : []),
    ]
    return { kind: 'checked', version: data.version, account, missing }
  } catch (error) {
    const { code, message } = asExomonadError(error)
    return { kind: code === 'FORGE_DENIED' ? 'refused' : 'unreachable', reason: message }
  }
}
