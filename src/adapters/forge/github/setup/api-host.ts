import type { GithubRepository } from '../repository.ts'
import { isLoopback, type RemoteAddress } from '../../remote-url.ts'

/**
 * The host of the API behind one of GitHub’s own; null where it isn’t one of them: an Enterprise
 * Server, an ssh alias, or not GitHub.
 */
export function ownHost(host: string): string | null {
  if (['github.com', 'www.github.com', 'ssh.github.com'].includes(host)) return 'github.com'
  return /^[a-z0-9-]+\.ghe\.com$/.test(host) ? host : null
}

/** Hosts that are surely no Enterprise Server, so that nobody needs to be asked. */
export const isAnotherForge = (host: string): boolean =>
  /^(?:gitlab|bitbucket|gitea|forgejo|gerrit)\./.test(host) ||
  /^(?:codeberg\.org|git\.sr\.ht|(?:ssh\.)?dev\.azure\.com|gist\.github\.com|.+\.visualstudio\.com|.+\.amazonaws\.com|.+\.googlesource\.com)$/.test(
    host,
  )

/** A repository there, with the addresses of its API. Plain HTTP is for this machine only. */
export function repositoryAt(where: {
  host: string
  owner: string
  name: string
  transport?: RemoteAddress['transport']
}): GithubRepository {
  const { host, owner, name } = where
  const own = ownHost(host)
  if (own !== null)
    return {
      host: own,
      owner,
      name,
      apiUrl: `https://api.${own}`,
      graphqlUrl: `https://api.${own}/graphql`,
    }
  const origin = `${where.transport === 'http' && isLoopback(host) ? 'http' : 'https'}://${host}`
  return { host, owner, name, apiUrl: `${origin}/api/v3`, graphqlUrl: `${origin}/api/graphql` }
}
