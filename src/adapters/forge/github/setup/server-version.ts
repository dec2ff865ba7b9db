import { asExomonadError } from '../../../../domain/errors.ts'
import type { GithubClient } from '../client/client.ts'
import { isTooOld, OLDEST_SERVER, serverName } from '../client/old-server.ts'
import { fullLook } from '../reading/queries.ts'
import type { GithubRepository } from '../repository.ts'
import { ownHost } from './api-host.ts'

/** Which version it is, and what it does not know. */
export interface ServerFinding {
  readonly state: 'ok' | 'warning' | 'problem'
  /** Both are sentences without a full stop. */
  readonly found: string
  readonly fix: string | null
}

/**
 * Of an Enterprise Server; null where it is none. What it does not know is found out by asking for all that is ever read of a pull request; that
 * there is none of that number doesn’t matter.
 */
export async function checkServer(
  client: GithubClient,
  { host }: GithubRepository,
  announced: string | undefined,
): Promise<ServerFinding | null> {
  const asked = async (): Promise<string | undefined> => {
    const { data } = await client.rest<{ installed_version?: string } | null>(
      'GET /meta',
      {},
      { accept: [401, 403, 404] },
    )
    return data?.installed_version
  }
  const version =
    announced ?? (ownHost(host) === null ? await asked().catch(() => undefined) : undefined)
  if (version === undefined) return null
  const update = `Have it updated to ${OLDEST_SERVER} or newer`
  try {
    await client.graphql(fullLook(1), { n0: 1 })
  } catch (thrown) {
    const { code, facts } = asExomonadError(thrown)
    const fields = facts['fields']
    if (code === 'FORGE_DENIED' && Array.isArray(fields)) {
      return {
        state: 'problem',
        found: `${serverName(version)} is too old: it does not know ${fields.join(', ')}`,
        fix: update,
      }
    }
  }
  const lost = [...new Set(client.lacking().map((one) => one.lost))]
  if (lost.length > 0)
    return {
      state: 'warning',
      found: `${serverName(version)} is too old to report ${lost.join(', ')}; all else works`,
      fix: update,
    }
  if (!isTooOld(version)) return { state: 'ok', found: serverName(version), fix: null }
  return {
    state: 'warning',
    found: `${serverName(version)} is older than ${OLDEST_SERVER}, the oldest that exomonad is made for`,
    fix: update,
  }
}
