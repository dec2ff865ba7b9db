import { asExomonadError } from '../../../domain/errors.ts'
import type { GiteaClient } from './client.ts'
import { readTeams, teamWrites } from './write-access.ts'

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
      readonly missing: readonly Lack[]
      /** What it works without, and less well. */
      readonly limits: readonly Lack[]
    }

interface Lack {
  readonly what: string
  readonly fix: string
}

interface RawRepository {
  readonly permissions?: { readonly push?: boolean; readonly admin?: boolean }
  readonly has_pull_requests?: boolean
  readonly archived?: boolean
  readonly empty?: boolean
}

/** Asks what the token may do, without changing anything. */
export async function checkGitea(
  client: Pick<GiteaClient, 'rest' | 'viewer'>,
  place: string,
): Promise<GiteaCheck> {
  try {
    const { data } = await client.rest<{ version: string }>('GET /version')
    const account = await client.viewer()
    const { data: repository } = await client.rest<RawRepository>('GET /repos/{owner}/{repo}', {
      accept: [404],
    })
    const missing = [
      ...(repository.permissions === undefined
        ? [
            {
              what: `the token sees no repository ${place}`,
              fix: 'Check the URL of the git remote, and the token’s scopes (write:repository, write:issue, read:user)',
            },
          ]
        : []),
      ...(repository.permissions?.push === false
        ? [
            {
              what: `${account} may not write to ${place}`,
              fix: 'Make it a collaborator with write access',
            },
          ]
        : []),
      ...(repository.has_pull_requests === false
        ? [
            {
              what: `pull requests are switched off in ${place}`,
              fix: 'Switch them on in the repository’s settings',
            },
          ]
        : []),
      ...(repository.archived === true
        ? [
            {
              what: `${place} is archived: nothing can be pushed`,
              fix: 'Unarchive it in its settings',
            },
          ]
        : []),
      ...(repository.empty === true
        ? [{ what: `${place} is empty`, fix: 'Push the base branch first' }]
        : []),
    ]
    const { permissions } = repository
    const limits =
      permissions === undefined
        ? []
        : await teamLimits(client, account, { place, isAdmin: permissions.admin === true })
    return { kind: 'checked', version: data.version, account, missing, limits }
  } catch (error) {
    const { code, message } = asExomonadError(error)
    return { kind: code === 'FORGE_DENIED' ? 'refused' : 'unreachable', reason: message }
  }
}

/**
 * Where some teams may write and others only read, who is in them is for owners of the organization
 * to ask.
 */
async function teamLimits(
  client: Pick<GiteaClient, 'rest'>,
  account: string,
  { place, isAdmin }: { place: string; isAdmin: boolean },
): Promise<Lack[]> {
  const teams = await readTeams(client)
  if (teams.every(teamWrites)) return []
  const hidden: string[] = []
  for (const { id, name, permission } of teams.filter(teamWrites)) {
    // Whoever may ask for permissions learns of owners and administrators by those.
    if (isAdmin && permission !== 'none') continue
    const { status } = await client.rest(`GET /teams/${id}/members`, {
      query: { limit: 1 },
      accept: [403, 404],
    })
    if (status !== 200) hidden.push(name)
  }
  if (hidden.length === 0) return []
  return [
    {
      what: `${account} may not ask who is in ${hidden.join(', ')}, who may write to ${place}: what they say is withheld, for other teams may only read`,
      fix: 'Make it an owner of the organization, and give the token the scope read:organization; or, where it is an administrator of the repository, make them collaborators',
    },
  ]
}
