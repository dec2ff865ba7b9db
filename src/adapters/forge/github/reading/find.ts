import type { BranchName } from '../../../../domain/ids.ts'
import { ExomonadError } from '../../../../domain/errors.ts'
import type { Forge } from '../../forge.ts'
import type { GithubClient } from '../client/client.ts'
import type { RawConnection } from './answers.ts'
import { ask, isDenied, leftOut } from './pages.ts'
import { listed, ofHeads } from './queries.ts'

type Found = RawConnection<{ readonly number: number; readonly isCrossRepository: boolean }>
type Filter = Parameters<Forge['find']>[0]

/** So many heads are asked for at a time; GitHub counts each as a connection. */
const MOST = 50

/**
 * Numbers of pull requests whose head is in this repository, or, with `forks`, anywhere, ascending.
 * A fork’s branch may have any name. FORGE_UNAVAILABLE where a part is missing, FORGE_DENIED where
 * the token may not read it.
 */
export async function findPulls(
  client: Pick<GithubClient, 'graphql'>,
  { state, heads, base, forks = false }: Filter,
): Promise<number[]> {
  const numbers = new Set<number>()
  const filter = {
    states: state === undefined ? ['OPEN', 'CLOSED', 'MERGED'] : [state.toUpperCase()],
    ...(base === undefined ? {} : { base }),
  }
  const parts = { base: base !== undefined }

  const asked = async (
    query: string,
    variables: Readonly<Record<string, unknown>>,
  ): Promise<Readonly<Record<string, Found | null>>> => {
    const { data, errors } = await ask<{
      repository: Readonly<Record<string, Found | null>> | null
    }>(client, query, { ...filter, ...variables })
    const denied = errors.find(isDenied)
    if (denied !== undefined) {
      throw new ExomonadError(
        'FORGE_DENIED',
        `GitHub refuses to list pull requests with this token: ${denied.message}. It needs the permission “Pull requests: read”; \`exomonad doctor\` checks it.`,
      )
    }
    if (errors.length > 0 || data.repository === null)
      throw new ExomonadError('FORGE_UNAVAILABLE', leftOut(errors))
    return data.repository
  }
  const add = (found: Found | null | undefined): string | null => {
    if (found?.nodes == null) throw new ExomonadError('FORGE_UNAVAILABLE', leftOut([]))
    for (const pull of found.nodes)
      if (pull !== null && (forks || !pull.isCrossRepository)) numbers.add(pull.number)
    return found.pageInfo.hasNextPage ? found.pageInfo.endCursor : null
  }
  const rest = async (
    head: BranchName | undefined,
    from: string | null | undefined,
  ): Promise<void> => {
    for (let after = from; after !== null;) {
      const variables = {
        ...(head === undefined ? {} : { head }),
        ...(after === undefined ? {} : { after }),
      }
      after = add(
        (await asked(listed({ ...parts, head: head !== undefined }), variables))['pullRequests'],
      )
    }
  }

  if (heads === undefined) await rest(undefined, undefined)
  for (let start = 0; start < (heads?.length ?? 0); start += MOST) {
    const page = heads?.slice(start, start + MOST) ?? []
    const found = await asked(
      ofHeads(page.length, parts),
      Object.fromEntries(page.map((head, index) => [`h${index}`, head])),
    )
    for (const [index, head] of page.entries()) {
      const next = add(found[`h${index}`])
      if (next !== null) await rest(head, next)
    }
  }
  return [...numbers].sort((a, b) => a - b)
}
