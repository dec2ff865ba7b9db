import { ExomonadError } from '../../../../../domain/errors.ts'
import type { GithubClient } from '../../client/client.ts'
import type { FullPull, RawConnection, RawContext, Read } from '../answers.ts'
import { ask, errorsAt } from '../pages.ts'
import { queueChecks } from '../queries.ts'
import { MOST_PULLS } from '../read-details.ts'

interface RawQueued {
  readonly mergeQueueEntry: {
    readonly headCommit: {
      readonly oid: string
      readonly statusCheckRollup: { readonly contexts: RawConnection<RawContext> } | null
    } | null
  } | null
}

/**
 * The same with the checks of what stands in a merge queue (`merge_group`): a point for 25 of them,
 * and nothing where nothing has run there. What can’t be read is unknown; what else was read
 * stands.
 */
export async function withQueueChecks(
  client: Pick<GithubClient, 'graphql'>,
  reads: ReadonlyMap<number, Read<FullPull>>,
): Promise<ReadonlyMap<number, Read<FullPull>>> {
  const results = new Map(reads)
  const queued = [...reads].flatMap(([number, read]) =>
    'value' in read && read.value.state.mergeQueueEntry != null
      ? [[number, read.value] as const]
      : [],
  )
  const put = (number: number, pull: FullPull, queueContexts: FullPull['queueContexts']): void =>
    void results.set(number, { value: { ...pull, queueContexts } })
  const running = queued.filter(([number, pull]) => {
    if (pull.state.mergeQueueEntry?.headCommit?.statusCheckRollup != null) return true
    put(number, pull, [])
    return false
  })
  for (let start = 0; start < running.length; start += MOST_PULLS) {
    const page = running.slice(start, start + MOST_PULLS)
    const contexts = await readContexts(client, page)
    for (const [number, pull] of page) put(number, pull, contexts.get(number) ?? null)
  }
  return results
}

async function readContexts(
  client: Pick<GithubClient, 'graphql'>,
  page: readonly (readonly [number, FullPull])[],
): Promise<ReadonlyMap<number, readonly RawContext[]>> {
  const results = new Map<number, readonly RawContext[]>()
  try {
    const variables = Object.fromEntries(page.map(([number], index) => [`n${index}`, number]))
    const { data, errors } = await ask<{
      repository: Readonly<Record<string, RawQueued | null>> | null
    }>(client, queueChecks(page.length), variables)
    for (const [index, [number, pull]] of page.entries()) {
      const head = data.repository?.[`p${index}`]?.mergeQueueEntry?.headCommit
      // Built anew meanwhile: those are the checks of something else.
      if (
        head?.oid !== pull.state.mergeQueueEntry?.headCommit?.oid ||
        errorsAt(errors, 'repository', `p${index}`).length > 0
      )
        continue
      results.set(
        number,
        (head?.statusCheckRollup?.contexts.nodes ?? []).filter((one) => one !== null),
      )
    }
  } catch (error) {
    if (!(error instanceof ExomonadError)) throw error
  }
  return results
}
