import { ExomonadError } from '../../../../errors.ts'
import type { GithubClient } from '../client/client.ts'
import type { FullPull, RawConnection, RawThread, Read, Threads } from './answers.ts'
import { ask, errorsAt } from './pages.ts'
import { MORE_THREADS, THREADS } from './queries.ts'
import { node, whole } from './tier-two.ts'

/** So many pull requests at a time: 525 connections, five points. */
const MOST = 25

type RawThreads = { readonly id: string; readonly reviewThreads: RawConnection<RawThread> | null }

/** A pull request whose line comments were read has conversations; others are asked nothing. */
const hasLineComments = ({ reviews }: FullPull): boolean => reviews.some(({ comments }) => comments.length > 0)

/**
 * The same with their conversations, which are asked for together. Where GitHub does not tell (a failure, a server or a token that can’t), only
 * they are unknown: what else was read stands.
 */
export async function withThreads(client: Pick<GithubClient, 'graphql'>, reads: ReadonlyMap<number, Read<FullPull>>): Promise<Map<number, Read<FullPull>>> {
  const ids = [...reads.values()].flatMap((read) => ('value' in read && hasLineComments(read.value) ? [read.value.state.id] : []))
  if (ids.length === 0) return new Map(reads)
  const threads = new Map<string, Threads>()
  for (let start = 0; start < ids.length; start += MOST) {
    for (const [id, found] of await readThreads(client, ids.slice(start, start + MOST))) threads.set(id, found)
  }
  return new Map(
    [...reads].map(([number, read]) =>
      'value' in read && ids.includes(read.value.state.id)
        ? [number, { value: { ...read.value, threads: threads.get(read.value.state.id) ?? null } }]
        : [number, read],
    ),
  )
}

async function readThreads(client: Pick<GithubClient, 'graphql'>, ids: readonly string[]): Promise<Map<string, Threads>> {
  const results = new Map<string, Threads>()
  try {
    const { data, errors } = await ask<{ nodes: readonly (RawThreads | null)[] }>(client, THREADS, { ids })
    for (const [index, id] of ids.entries()) {
      const first = data.nodes[index]?.reviewThreads
      if (first == null || errorsAt(errors, 'nodes', index).length > 0) continue
      results.set(id, byFirstComment(await whole(first, (after) => more(client, id, after))))
    }
  } catch (error) {
    if (!(error instanceof ExomonadError)) throw error
  }
  return results
}

async function more(client: Pick<GithubClient, 'graphql'>, id: string, after: string): Promise<RawConnection<RawThread>> {
  const { reviewThreads } = await node<RawThreads>(client, MORE_THREADS, { id, after })
  if (reviewThreads === null) throw new ExomonadError('FORGE_UNAVAILABLE', 'GitHub left out the rest of the conversations.')
  return reviewThreads
}

const byFirstComment = (threads: readonly RawThread[]): Threads =>
  new Map(
    threads.flatMap(({ id, isResolved, comments }) => {
      const first = comments.nodes?.[0]
      return first == null ? [] : [[String(first.fullDatabaseId), { id, resolved: isResolved }]]
    }),
  )
